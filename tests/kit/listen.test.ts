import { once } from 'node:events';
import { createServer } from 'node:net';
import { Worker } from 'node:worker_threads';
import { freePort } from '../../tools/free-port.ts';
import { listen } from './listen.ts';

const startProcesses = `
  const { spawn } = require('node:child_process');
  const { parentPort } = require('node:worker_threads');
  (function next() { spawn('true').once('exit', next); })();
  parentPort.postMessage('started');`;

it('a port can be listened on again at once while other threads start processes', async () => {
  const port = await freePort();
  const threads = [1, 2].map(() => new Worker(startProcesses, { eval: true }));
  try {
    await Promise.all(threads.map((thread) => once(thread, 'message')));
    for (let round = 0; round < 5_000; round += 1) {
      const server = createServer();
      await listen(server, port);
      await new Promise((resolve) => server.close(resolve));
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.terminate()));
  }
});
