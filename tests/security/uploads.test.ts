import { readFile } from 'node:fs/promises';
import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { until } from '../kit/until.ts';
import { ACCOUNT, COOKIE, expectProblem, identities, useGateway } from './_fixture.ts';
import { reply } from './_upstream.ts';

const MIB = 1024 * 1024;
const path = '/products/imports';

/** Begins a request whose body has no stated length. */
function begin(port: number, to = path, headers: Record<string, string> = { cookie: COOKIE }) {
  const sent = request({ port, host: '127.0.0.1', method: 'POST', path: to, headers });
  const answer = new Promise<{ status: number; body: string }>((resolve, reject) => {
    sent.on('error', reject);
    sent.on('response', async (response) =>
      resolve({ status: response.statusCode ?? 0, body: await text(response).catch(() => '') }),
    );
  });
  answer.catch(() => undefined);
  return { sent, answer };
}

const write = (to: ReturnType<typeof request>, chunk: Buffer) =>
  new Promise<void>((resolve) => to.write(chunk, () => resolve()));

describe('an upload', () => {
  const gateway = useGateway();
  const active = async () =>
    Number(
      /^envoy_cluster_upstream_rq_active\{envoy_cluster_name="product"\} (\d+)$/m.exec(await gateway.metrics())?.[1],
    );
  const memory = async () =>
    Number(/VmHWM:\s+(\d+)/.exec(await readFile(`/proc/${gateway.pid()}/status`, 'utf8'))?.[1]) / 1024;

  it('goes to its service as it arrives, whole and with the identity, and takes no memory', async () => {
    gateway.services.product.answer(({ body }) => reply(202, [`x-length: ${body.length}`]));
    const { sent, answer } = begin(gateway.port);
    const before = await memory();
    await write(sent, Buffer.alloc(MIB, 'x'));
    await until('the service has the request', async () => (await active()) === 1);
    for (let n = 1; n < 63; n += 1) await write(sent, Buffer.alloc(MIB, 'x'));
    sent.end();
    expect((await answer).status).toBe(202);
    const [received] = gateway.reached();
    expect(received?.body.length).toBe(63 * MIB);
    expect(identities(received as never)).toEqual([`id-account: ${ACCOUNT}`]);
    expect((await memory()) - before).toBeLessThan(16);
  });

  it('with a stated length beyond the limit is 413 before it is read', async () => {
    const answer = await gateway.askAsCustomer(`POST ${path}`, [`Content-Length: ${64 * MIB + 1}`], 'x');
    expectProblem(answer, 413, { detail: 'The body is larger than 65536 KiB.' });
    expect(gateway.reached()).toEqual([]);
  });

  it('is one at this path alone', async () => {
    for (const firstLine of [
      'POST /products/imports/x',
      'PUT /products/imports',
      'POST /products',
      'POST /products/export',
    ])
      expectProblem(await gateway.askAsCustomer(firstLine, [`Content-Length: ${MIB}`], 'x'), 413);
  });

  it('of a stranger is 401 and reaches no service', async () => {
    expect((await gateway.ask(`POST ${path}`, ['Content-Length: 1000000'], 'x')).status).toBe(401);
    gateway.auth.answer(reply(401));
    expect((await gateway.askAsCustomer(`POST ${path}`, ['Content-Length: 1000000'], 'x')).status).toBe(401);
    expect(gateway.reached()).toEqual([]);
  });

  it('whose client goes away is ended at the service', async () => {
    const { sent } = begin(gateway.port);
    await write(sent, Buffer.alloc(MIB, 'x'));
    await until('the service has the request', async () => (await active()) === 1);
    sent.destroy();
    await until('the service has no request', async () => (await active()) === 0);
    expect(gateway.reached()).toEqual([]);
  });
});

describe('an upload that trickles', () => {
  const gateway = useGateway({ timeouts: { request: 2 } } as never);

  it('is 408 when its time is over', async () => {
    const { sent, answer } = begin(gateway.port);
    const trickle = setInterval(() => sent.write('x'), 100);
    const { status } = await answer;
    clearInterval(trickle);
    sent.destroy();
    expect(status).toBe(408);
    expect(gateway.reached()).toEqual([]);
  });
});

describe('with gateway.publicCatalogue', () => {
  const gateway = useGateway({ publicCatalogue: true });
  const own = [`${path}/0b7f3f8e-52a1-4c36-9a55-8f4a1f0f6f11`, path, '/products/export'];

  it.each(own)('GET %s still needs a token, and has the identity', async (own) => {
    expect((await gateway.ask(`GET ${own}`)).status).toBe(401);
    expect(gateway.reached()).toEqual([]);
    expect((await gateway.askAsCustomer(`GET ${own}`)).status).toBe(200);
    expect(gateway.reached().flatMap(identities)).toEqual([`id-account: ${ACCOUNT}`]);
  });

  it('other paths of products are open', async () => {
    for (const open of ['/products', '/products/categories', '/products/importsx'])
      expect((await gateway.ask(`GET ${open}`)).status).toBe(200);
  });
});
