import { createRequire } from 'node:module';
import './patches.ts';

const require = createRequire(import.meta.url);

it('a connection without pending requests does not poll for them', () => {
  const RequestQueue = require('kafkajs/src/network/requestQueue/index.js');
  const queue = new RequestQueue({ requestTimeout: 1_000, clientId: 'test', broker: 'broker:9092', logger: {} });
  try {
    queue.scheduleCheckPendingRequests();
    expect(queue.throttleCheckTimeoutId).toBeNull();
    queue.pending.push({});
    queue.scheduleCheckPendingRequests();
    expect(queue.throttleCheckTimeoutId).not.toBeNull();
  } finally {
    queue.destroy();
  }
});

it('of the headers of a message the first hundred are read', () => {
  const Encoder = require('kafkajs/src/protocol/encoder.js');
  const Decoder = require('kafkajs/src/protocol/decoder.js');
  const writeHeader = require('kafkajs/src/protocol/recordBatch/header/v0/index.js');
  const readRecord = require('kafkajs/src/protocol/recordBatch/record/v0/decoder.js');
  const names = Array.from({ length: 1_000 }, (_, n) => `h${n}`);
  const { buffer } = new Encoder()
    .writeInt8(0)
    .writeVarLong(0)
    .writeVarInt(0)
    .writeVarIntBytes('key')
    .writeVarIntBytes('value')
    .writeVarIntArray(names.map((key) => writeHeader({ key, value: '' })));
  const { headers } = readRecord(new Decoder(buffer), { firstOffset: '0', firstTimestamp: '0' });
  expect(Object.keys(headers)).toEqual(names.slice(0, 100));
});
