import { createRequire } from 'node:module';
import './patches.ts';

const require = createRequire(import.meta.url);

// That of many headers the first are read is tested with poison (services/consumers).
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
