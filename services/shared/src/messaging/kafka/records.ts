import type { KafkaMessage } from 'kafkajs';

// A batch of records (Kafka, "Record Batch"): where its fields are, and how long it is without its records.
export const attributesAt = 21;
const baseTimestampAt = 27;
const maxTimestampAt = 35;
const producerIdAt = 43;
export const countAt = 57;
export const headerBytes = 61;
const logAppendTime = 0x08;
const transactional = 0x10;
const control = 0x20;

/** More are not read. A record has a handful; each of 20,000 would cost memory that nobody needs. */
const maxHeaders = 100;

/** What kafkajs asks about the batch of a record, to leave out those of aborted transactions. */
interface BatchContext {
  producerId: string;
  inTransaction: boolean;
}

/** Reads numbers and lengths of a record, and checks that they stay within it. */
class Reader {
  readonly bytes: Buffer;
  at: number;
  end: number;

  constructor(bytes: Buffer, at: number) {
    this.bytes = bytes;
    this.at = at;
    this.end = bytes.length;
  }

  skip(length: number): void {
    if (length < 0 || length > this.end - this.at) throw new RangeError(`a length of ${length} is out of range`);
    this.at += length;
  }

  /** A number in zigzag encoding, of at most 32 bits. */
  varint(): number {
    let number = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      this.skip(1);
      const byte = this.bytes[this.at - 1] as number;
      number |= (byte & 0x7f) << shift;
      if (byte < 0x80) return (number >>> 1) ^ -(number & 1);
    }
    throw new RangeError('a number has more than 32 bits');
  }

  /** A number in zigzag encoding, of at most 64 bits. */
  varlong(): bigint {
    let number = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      this.skip(1);
      const byte = this.bytes[this.at - 1] as number;
      number |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return (number >> 1n) ^ -(number & 1n);
    }
    throw new RangeError('a number has more than 64 bits');
  }

  skipNumber(): void {
    do this.skip(1);
    while ((this.bytes[this.at - 1] as number) >= 0x80);
  }

  /** Text after its length in bytes. */
  text(): string {
    const length = this.varint();
    this.skip(length);
    return this.bytes.toString('utf8', this.at - length, this.at);
  }

  /** Bytes after their length; null if the length is -1. */
  nullable(): Buffer | null {
    const length = this.varint();
    if (length === -1) return null;
    this.skip(length);
    return this.bytes.subarray(this.at - length, this.at);
  }

  /** Checks what {@link nullable} reads. */
  skipNullable(): void {
    const length = this.varint();
    if (length !== -1) this.skip(length);
  }
}

/**
 * A record. Its bytes are checked when it is made, and read when somebody asks: most groups handle a few kinds of the events on their
 * topics, and no part of the others is worth an object.
 */
class ReceivedRecord {
  readonly offset: string;
  readonly attributes = 0; // no version of Kafka uses them
  readonly #batch: RecordBatch;
  readonly #timestampAt: number;
  readonly #keyAt: number;

  /** @param reader at the record, after its length; afterwards at its end, or at headers that are not read */
  constructor(batch: RecordBatch, reader: Reader) {
    this.#batch = batch;
    reader.skip(1);
    this.#timestampAt = reader.at;
    reader.skipNumber();
    this.offset = String(batch.baseOffset + BigInt(reader.varint()));
    this.#keyAt = reader.at;
    reader.skipNullable();
    reader.skipNullable();
    for (let left = headerCount(reader); left > 0; left -= 1) {
      reader.skip(reader.varint());
      reader.skipNullable();
    }
  }

  get batchContext(): BatchContext {
    return this.#batch;
  }
  get isControlRecord(): boolean {
    return this.#batch.isControl;
  }
  /** In ms since 1970. */
  get timestamp(): string {
    const { isLogAppendTime, maxTimestamp, baseTimestamp } = this.#batch;
    return String(isLogAppendTime ? maxTimestamp : baseTimestamp + this.#readerAt(this.#timestampAt).varlong());
  }
  get key(): Buffer | null {
    return this.#readerAt(this.#keyAt).nullable();
  }
  get value(): Buffer | null {
    const reader = this.#readerAt(this.#keyAt);
    reader.skipNullable();
    return reader.nullable();
  }
  /** By name. A repeated header has an array, and one without a value null, which the types of kafkajs do not say. */
  get headers(): Record<string, Buffer | Buffer[]> {
    const reader = this.#readerAt(this.#keyAt);
    reader.skipNullable();
    reader.skipNullable();
    // Without a prototype, so that any name is a name.
    const headers: Record<string, Buffer | Buffer[]> = Object.create(null);
    for (let left = headerCount(reader); left > 0; left -= 1) {
      const name = reader.text();
      const value = reader.nullable() as Buffer;
      const earlier = headers[name];
      headers[name] = earlier === undefined ? value : [earlier, value].flat();
    }
    return headers;
  }

  #readerAt(at: number): Reader {
    return new Reader(this.#batch.bytes, at);
  }
}

const headerCount = (reader: Reader): number => Math.min(reader.varint(), maxHeaders);

interface RecordBatch extends BatchContext {
  bytes: Buffer;
  baseOffset: bigint;
  isControl: boolean;
  isLogAppendTime: boolean;
  baseTimestamp: bigint;
  maxTimestamp: bigint;
}

/**
 * Returns the records of an uncompressed batch (Kafka, "Record Batch" and "Record").
 * @throws RangeError if they are not within the batch
 */
export function recordsIn(bytes: Buffer): KafkaMessage[] {
  const attributes = bytes.readInt16BE(attributesAt);
  const batch: RecordBatch = {
    bytes,
    baseOffset: bytes.readBigInt64BE(0),
    producerId: bytes.readBigInt64BE(producerIdAt).toString(),
    inTransaction: (attributes & transactional) !== 0,
    isControl: (attributes & control) !== 0,
    isLogAppendTime: (attributes & logAppendTime) !== 0,
    baseTimestamp: bytes.readBigInt64BE(baseTimestampAt),
    maxTimestamp: bytes.readBigInt64BE(maxTimestampAt),
  };
  const records: KafkaMessage[] = [];
  const reader = new Reader(bytes, headerBytes);
  for (let left = bytes.readInt32BE(countAt); left > 0; left -= 1) {
    const length = reader.varint();
    const begin = reader.at;
    reader.skip(length);
    const end = reader.at;
    reader.at = begin;
    reader.end = end;
    records.push(new ReceivedRecord(batch, reader));
    reader.at = end;
    reader.end = bytes.length;
  }
  return records;
}
