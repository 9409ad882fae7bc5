import { createRequire } from 'node:module';
import type { KafkaMessage } from 'kafkajs';
import { messageOf } from '../../values/errors.ts';
import { codecs } from './codecs.ts';

/** Why a partition cannot be read any further. */
export interface Undecodable {
  /** Where the batch begins. */
  offset: string;
  error: UndecodableError;
}

export class UndecodableError extends Error {
  override name = 'UndecodableError';
}

/** Sixteen times what brokers accept as a batch by default (`message.max.bytes`), for one batch and for the answer to a fetch. */
const maxDecompressedBytes = 16 * 1024 * 1024;
/** No fewer than an uncompressed batch of that size can hold; each costs half a kilobyte. */
const maxRecords = 150_000;

// A batch (Kafka, "Record Batch"): where its length is, what the length does not count, where its flags are, and its header.
const lengthAt = 8;
const uncountedBytes = 12;
const magicAt = 16;
const attributesAt = 21;
const countAt = 57;
const headerBytes = 61;
const codecMask = 0x07;
/** Since Kafka 0.11. Brokers since 4.0 have no other. */
const magic = 2;

interface Decoder {
  readInt32(): number;
  canReadBytes(length: number): boolean;
  readBytes(length: number): Buffer;
}
const require = createRequire(import.meta.url);
const DecoderOf: new (bytes: Buffer) => Decoder = require('kafkajs/src/protocol/decoder.js');
const decodeRecords: (
  batch: Decoder,
) => Promise<{ records: KafkaMessage[] }> = require('kafkajs/src/protocol/recordBatch/v0/decoder.js');

/** What was decoded of an answer so far; its partitions are read one after the other, from one decoder. */
interface Spent {
  bytes: number;
  records: number;
}
const spentOf = new WeakMap<Decoder, Spent>();
/** By the messages before it. */
const undecodable = new WeakMap<object, Undecodable>();

/** The batch, if any, that ended what kafkajs calls a batch: what a partition had in the answer to one fetch. */
export const undecodableOf = (batch: object): Undecodable | undefined =>
  'rawMessages' in batch ? undecodable.get(batch.rawMessages as object) : undefined;

/**
 * Decodes the batches of a partition in an answer to a fetch. It ends before one that was cut off, or that would be too much together
 * with others of the answer: that is fetched again. It also ends before one that can never be decoded, and says so ({@link undecodableOf}).
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
      const { records } = await decodeRecords(new DecoderOf(plain));
      for (const record of records) messages.push(record); // too many for push(...records)
      spent.records += count;
      if (plain !== batch) spent.bytes += plain.length;
    } catch (cause) {
      const offset = batch.readBigInt64BE(0).toString();
      // Without the cause, whose message is in this one: a log would have it twice.
      const error = new UndecodableError(`The batch at offset ${offset} cannot be decoded: ${messageOf(cause)}`);
      undecodable.set(messages, { offset, error });
      break;
    }
  }
  return messages;
}

/** The batch as its producer had it before it was compressed, or the same one. */
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
