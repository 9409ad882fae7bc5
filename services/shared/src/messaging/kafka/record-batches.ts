import type { KafkaMessage } from 'kafkajs';
import { messageOf } from '../../values/errors.ts';
import { codecs } from './codecs.ts';
import { attributesAt, countAt, headerBytes, recordsIn } from './records.ts';

/** Why a partition cannot be read further. */
export interface Undecodable {
  /** Where the batch begins. */
  offset: string;
  error: UndecodableError;
}

export class UndecodableError extends Error {
  override name = 'UndecodableError';
}

/** For one batch and for a whole answer to a fetch. Sixteen times the batch size that brokers accept by default (`message.max.bytes`). */
const maxDecompressedBytes = 16 * 1024 * 1024;
/** As many as an uncompressed batch of the default size can hold; each costs half a kilobyte of memory. */
const maxRecords = 150_000;

// A batch (Kafka, "Record Batch"): positions of its length and magic, and the bytes that the length omits.
const lengthAt = 8;
const uncountedBytes = 12;
const magicAt = 16;
const codecMask = 0x07;
/** The format since Kafka 0.11, and the only one since Kafka 4.0. */
const magic = 2;

interface Decoder {
  readInt32(): number;
  canReadBytes(length: number): boolean;
  readBytes(length: number): Buffer;
}

/** How much of an answer has been decoded so far; its partitions are read one after another, from one decoder. */
interface Spent {
  bytes: number;
  records: number;
}
const spentOf = new WeakMap<Decoder, Spent>();
/** By the array of messages before the batch. */
const undecodable = new WeakMap<object, Undecodable>();

/** Returns the batch, if any, that could not be decoded. For kafkajs, a batch is all of a partition's messages in the answer to a fetch. */
export const undecodableOf = (batch: object): Undecodable | undefined =>
  'rawMessages' in batch ? undecodable.get(batch.rawMessages as object) : undefined;

/**
 * Decodes the batches of a partition in an answer to a fetch. It stops before a batch that was cut off, or that would exceed the limits
 * of the answer; that batch is fetched again. It also stops before a batch that can never be decoded, and records it ({@link undecodableOf}).
 */
export async function decodeMessages(answer: Decoder): Promise<KafkaMessage[]> {
  const messages: KafkaMessage[] = [];
  const size = answer.readInt32();
  if (size <= 0 || !answer.canReadBytes(size)) return messages;
  const bytes = answer.readBytes(size);
  const spent = spentOf.get(answer) ?? { bytes: 0, records: 0 };
  spentOf.set(answer, spent);
  for (let at = 0, end: number; at + headerBytes <= bytes.length; at = end) {
    end = at + uncountedBytes + bytes.readInt32BE(at + lengthAt);
    if (end > bytes.length) break;
    const batch = bytes.subarray(at, end);
    const isFirst = spent.records === 0;
    try {
      const count = batch.readInt32BE(countAt);
      if (batch[magicAt] !== magic) throw new Error('its format is older than Kafka 0.11');
      if (count > maxRecords) throw new Error(`it has more than ${maxRecords} records`);
      if (!isFirst && spent.records + count > maxRecords) break;
      const plain = await decompressed(batch);
      if (!isFirst && plain !== batch && spent.bytes + plain.length > maxDecompressedBytes) break;
      for (const record of recordsIn(plain)) messages.push(record); // there may be too many for push(...records)
      spent.records += count;
      if (plain !== batch) spent.bytes += plain.length;
    } catch (cause) {
      const offset = batch.readBigInt64BE(0).toString();
      // Without the cause, since a log would show its message twice.
      const error = new UndecodableError(`The batch at offset ${offset} cannot be decoded: ${messageOf(cause)}`);
      undecodable.set(messages, { offset, error });
      break;
    }
  }
  return messages;
}

/** Returns the batch as it was before compression; the same batch if it is not compressed. */
async function decompressed(batch: Buffer): Promise<Buffer> {
  const attributes = batch.readInt16BE(attributesAt);
  const kind = attributes & codecMask;
  if (kind === 0) return batch;
  const codec = codecs[kind];
  if (codec === undefined) throw new Error(`its compression ${kind} is unknown`);
  const records = await codec.decompress(batch.subarray(headerBytes), maxDecompressedBytes).catch((error) => {
    throw new Error(`it is compressed with ${codec.name}; ${messageOf(error)}`);
  });
  const plain = Buffer.concat([batch.subarray(0, headerBytes), records]);
  plain.writeInt32BE(plain.length - uncountedBytes, lengthAt);
  plain.writeInt16BE(attributes & ~codecMask, attributesAt);
  return plain;
}
