import { createRequire } from 'node:module';
import { array, assert, asyncProperty, dictionary, integer, option, record, string, uint8Array } from 'fast-check';
import { recordsIn } from './records.ts';

const require = createRequire(import.meta.url);
const Long = require('kafkajs/src/utils/long.js');
const { RecordBatch } = require('kafkajs/src/protocol/recordBatch/v0/index.js');
const encodeRecord = require('kafkajs/src/protocol/recordBatch/record/v0/index.js');
const decodeBatch = require('kafkajs/src/protocol/recordBatch/v0/decoder.js');
const Decoder = require('kafkajs/src/protocol/decoder.js');

const bytes = uint8Array({ maxLength: 300 }).map((all) => Buffer.from(all));
// kafkajs reads no bytes as null.
const someBytes = uint8Array({ minLength: 1, maxLength: 300 }).map((all) => Buffer.from(all));
const given = record({
  offset: integer({ min: 0 }),
  time: integer({ min: 0 }),
  isLogAppendTime: integer({ min: 0, max: 1 }),
  records: array(
    record({
      offsetDelta: integer({ min: 0 }),
      timestampDelta: integer(),
      key: option(someBytes),
      value: option(someBytes),
      // kafkajs fails on names that every object has, such as "constructor".
      headers: dictionary(
        string({ unit: 'binary' }).map((name) => `h${name}`),
        array(someBytes, { minLength: 1, maxLength: 3 }),
      ),
    }),
    { maxLength: 5 },
  ),
});

async function encode(all: {
  offset: number;
  time: number;
  isLogAppendTime: number;
  records: { timestampDelta: number }[];
}): Promise<Buffer> {
  const { buffer } = await RecordBatch({
    firstOffset: Long.fromNumber(all.offset),
    firstTimestamp: all.time,
    maxTimestamp: all.time + 1_000,
    records: all.records.map((one) => encodeRecord({ ...one, timestampDelta: Long.fromNumber(one.timestampDelta) })),
  });
  buffer[22] = buffer[22] | (all.isLogAppendTime * 8);
  return buffer;
}

it('records are read as kafkajs reads them', () =>
  assert(
    asyncProperty(given, async (all) => {
      const batch = await encode(all);
      const { records } = await decodeBatch(new Decoder(batch));
      const read = recordsIn(batch).map(({ offset, timestamp, key, value, headers }) => ({
        ...{ offset, timestamp, key, value, headers },
      }));
      expect(read).toEqual(
        records.map(({ offset, timestamp, key, value, headers }: (typeof read)[number]) => ({
          ...{ offset, timestamp, key, value, headers },
        })),
      );
    }),
  ));

it('an empty header, and one named as a property that every object has, are read', async () => {
  const headers = { empty: Buffer.alloc(0), constructor: Buffer.from('a'), __proto__: Buffer.from('b') };
  const batch = await encode({
    offset: 0,
    time: 0,
    isLogAppendTime: 0,
    records: [{ timestampDelta: 0, headers } as never],
  });
  expect(Object.keys(recordsIn(batch)[0]?.headers ?? {})).toEqual(['empty', 'constructor']);
  expect(recordsIn(batch)[0]?.headers).toEqual({ empty: Buffer.alloc(0), constructor: Buffer.from('a') });
});

it('a batch whose lengths do not fit is refused, wherever it is cut, and damage never reads beyond it', () =>
  assert(
    asyncProperty(given, integer({ min: 1 }), bytes, async (all, at, damage) => {
      const batch = await encode(all);
      const records = batch.length - 61;
      if (records === 0) return;
      expect(() => recordsIn(batch.subarray(0, 61 + (at % records)))).toThrow(RangeError);
      const damaged = Buffer.from(batch);
      damage.copy(damaged, 61 + (at % records));
      try {
        for (const one of recordsIn(damaged)) void [one.key, one.value, one.headers, one.timestamp];
      } catch (error) {
        expect(error).toBeInstanceOf(RangeError);
      }
    }),
  ));
