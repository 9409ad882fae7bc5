import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { createPool } from './connection.ts';

/** A message of PostgreSQL's protocol. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(type), length, body]);
}

const authenticated = message('R', Buffer.alloc(4));
const ready = message('Z', Buffer.from('I'));
const ended = message('E', Buffer.from('SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));

it('a connection that is ended as soon as it is open fails its query, not the process', async () => {
  const server = createServer((socket) => {
    // In one packet, so that the client reads all before anybody knows that the connection is open.
    socket.once('data', () => socket.end(Buffer.concat([authenticated, ready, ended])));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const pool = createPool({
    connectionString: `postgresql://nobody:nothing@127.0.0.1:${port}/nothing?sslmode=disable`,
  });
  await expect(pool.query('select 1')).rejects.toThrow(/terminat|not queryable/);
  await pool.end();
  server.close();
});
