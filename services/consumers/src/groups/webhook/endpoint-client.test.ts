import { createServer } from 'node:http';
import { connect } from 'node:net';
import { listen, serve } from '../../../../../tests/kit/listen.ts';
import { createEndpointClient } from './endpoint-client.ts';
import { newSecret } from './secrets.ts';

const message = { id: 'f2c0b1f6-6d0a-5b0e-9c58-6a0f3d1f7a11', body: '{}', secrets: [newSecret()] };

/** A proxy that connects to this address, whatever it is asked for. It opens tunnels only if `isOpen`. */
async function useProxy(target: string, isOpen = true) {
  const asked: string[] = [];
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    asked.push(url);
    if (!isOpen) return socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
    const upstream = connect(Number(new URL(target).port), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      upstream.pipe(socket).pipe(upstream);
    });
    upstream.on('error', () => socket.destroy());
    socket.on('error', () => upstream.destroy());
  });
  const proxyUrl = `http://127.0.0.1:${await listen(proxy)}`;
  afterAll(() => proxy.close());
  return { asked, client: createEndpointClient({ publicOnly: true, own: [], proxyUrl }) };
}

const received: unknown[] = [];
const endpoint = await serve(({ headers }, res) => {
  received.push(headers['webhook-id']);
  res.writeHead(204).end();
});

describe('deliveries through a proxy', () => {
  it('leave the name of the endpoint to the proxy', async () => {
    const { asked, client } = await useProxy(endpoint);
    expect(await client.send('http://erp.invalid/hook', message)).toMatchObject({ status: 204, failure: undefined });
    expect(asked).toEqual(['erp.invalid:80']);
    expect(received).toEqual([message.id]);
  });

  it('fail if the proxy refuses the endpoint', async () => {
    const { asked, client } = await useProxy(endpoint, false);
    const attempt = await client.send('http://erp.invalid/hook', message);
    expect(attempt).toMatchObject({ status: undefined, failure: expect.any(String) });
    expect(asked).toEqual(['erp.invalid:80']);
  });

  it('do not ask the proxy for a forbidden address', async () => {
    const { asked, client } = await useProxy(endpoint);
    const failure = 'The host has no public address.';
    expect(await client.send('https://127.0.0.1/hook', message)).toMatchObject({ status: undefined, failure });
    expect(asked).toEqual([]);
  });
});
