import { createRequire } from 'node:module';
import { zstdCompressSync } from 'node:zlib';
import type { KafkaMessage } from 'kafkajs';
import { decodeMessages, undecodableOf } from './record-batches.ts';

const require = createRequire(import.meta.url);
const Decoder = require('kafkajs/src/protocol/decoder.js');

const mebibyte = 1024 * 1024;
/** A record without key, value and headers: its length and six bytes, most of them varints (zigzag: 1 is -1, a null). */
const emptyRecord = [12, 0, 0, 0, 1, 1, 0];
const empties = (count: number) => Buffer.alloc(count * emptyRecord.length, Buffer.from(emptyRecord));

function varint(value: number): number[] {
  const rest = value >>> 7;
  return rest === 0 ? [value & 0x7f] : [(value & 0x7f) | 0x80, ...varint(rest)];
}
function recordOf(valueBytes: number): Buffer {
  const before = Buffer.from([0, 0, 0, 1, ...varint(2 * valueBytes)]);
  const length = before.length + valueBytes + 1;
  return Buffer.concat([Buffer.from(varint(2 * length)), before, Buffer.alloc(valueBytes), Buffer.from([0])]);
}

interface Given {
  records: Buffer;
  count: number;
  offset?: number;
  compression?: number;
  magic?: number;
}

function batchOf({ records, count, offset = 0, compression = 0, magic = 2 }: Given): Buffer {
  const header = Buffer.alloc(61);
  header.writeBigInt64BE(BigInt(offset), 0);
  header.writeInt32BE(header.length - 12 + records.length, 8);
  header.writeInt8(magic, 16);
  header.writeInt16BE(compression, 21);
  header.writeInt32BE(count, 57);
  return Buffer.concat([header, records]);
}
const zstd = (records: Buffer, count: number, offset = 0) =>
  batchOf({ records: zstdCompressSync(records), count, offset, compression: 4 });

/** Decodes an answer with the batches of some partitions. */
async function decode(...partitions: Buffer[][]) {
  const sized = partitions.flatMap((batches) => {
    const size = Buffer.alloc(4);
    size.writeInt32BE(Buffer.concat(batches).length);
    return [size, ...batches];
  });
  const answer = new Decoder(Buffer.concat(sized));
  const decoded: KafkaMessage[][] = [];
  for (const _ of partitions) decoded.push(await decodeMessages(answer));
  return decoded.map((messages) => ({
    offsets: messages.map(({ offset }) => Number(offset)),
    undecodable: undecodableOf({ rawMessages: messages }),
  }));
}
const rest = { offsets: [], undecodable: undefined };

it.each([
  ['uncompressed', batchOf({ records: empties(150_000), count: 150_000 })],
  ['compressed', zstd(empties(150_000), 150_000)],
])('150,000 records of a batch are read, %s; a batch with more is refused', async (_, batch) => {
  const [read] = await decode([batch]);
  expect([read?.offsets.length, read?.undecodable]).toEqual([150_000, undefined]);
  const more = Buffer.from(batch);
  more.writeInt32BE(150_001, 57);
  const [refused] = await decode([more]);
  const error = { message: 'The batch at offset 0 cannot be decoded: it has more than 150000 records' };
  expect(refused).toMatchObject({ offsets: [], undecodable: { offset: '0', error } });
});

it('the records of an answer beyond that are left for the next answer, also of other partitions', async () => {
  const many = (offset: number) => batchOf({ records: empties(80_000), count: 80_000, offset });
  const one = batchOf({ records: empties(1), count: 1, offset: 5 });
  const [first, second, third] = await decode([many(0), many(80_000)], [many(0)], [one]);
  expect([first?.offsets.length, second, third?.offsets]).toEqual([80_000, rest, [5]]);
});

it('up to 16 MiB of an answer are decompressed, from one batch or several', async () => {
  const large = (offset: number) => zstd(recordOf(9 * mebibyte), 1, offset);
  expect(await decode([large(3), large(4)], [large(0)])).toEqual([{ offsets: [3], undecodable: undefined }, rest]);
  const [refused] = await decode([large(3), zstd(recordOf(17 * mebibyte), 1, 4)]);
  expect(refused?.offsets).toEqual([3]);
  expect(refused?.undecodable?.error.message).toMatch(/offset 4 .* zstd; it is longer than 16777216 bytes/);
});

it.each<[string, Buffer, RegExp]>([
  [
    'is of an unknown compression',
    batchOf({ records: empties(1), count: 1, compression: 5 }),
    /compression 5 is unknown/,
  ],
  ['is damaged', batchOf({ records: empties(1), count: 1, compression: 4 }), /compressed with zstd; Unknown frame/],
  ['has fewer records than it says', zstd(empties(1), 2), /buffer bounds|out of range/],
  ['is of Kafka before 0.11', batchOf({ records: empties(1), count: 1, magic: 1 }), /older than Kafka 0.11/],
])('the batches before a batch that %s are read', async (_, batch, reason) => {
  batch.writeBigInt64BE(7n, 0);
  const [read] = await decode([
    batchOf({ records: empties(1), count: 1, offset: 6 }),
    batch,
    batchOf({ records: empties(1), count: 1 }),
  ]);
  expect(read?.offsets).toEqual([6]);
  expect(read?.undecodable).toMatchObject({ offset: '7', error: { message: expect.stringMatching(reason) } });
});

it('a cut batch is left for the next answer', async () => {
  const batch = batchOf({ records: empties(1), count: 1 });
  for (let length = 1; length < batch.length; length += 1)
    expect(await decode([batch, batch.subarray(0, length)])).toEqual([{ offsets: [0], undecodable: undefined }]);
});
