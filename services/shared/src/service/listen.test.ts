import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { createLog } from '../observability/log.ts';
import { close, listen } from './listen.ts';

it('ignores an unknown Expect header', async () => {
  const server = await listen((_req, res) => res.end('answered'), 0, '127.0.0.1', createLog('test', 'silent'));
  const { port } = server.address() as { port: number };
  const client = connect(port, '127.0.0.1');
  client.end('GET / HTTP/1.1\r\nHost: a\r\nExpect: anything\r\nConnection: close\r\n\r\n');
  expect(await text(client)).toMatch(/^HTTP\/1.1 200 OK\r\n.*answered$/s);
  await close(server);
});
