import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cookieReader } from '@store/shared/http/cookies';
import { freePort } from '../../tools/free-port.ts';
import { type GatewayValues, startGateway as startEnvoy } from '../../tools/local/components/gateway.ts';
import { topology } from '../../tools/topology/topology.ts';
import { type Certificate, mountCertificate } from '../kit/certificates.ts';
import { type Answer, http, sendRaw } from './_raw.ts';
import { reply, type Seen, startUpstream, type Upstream } from './_upstream.ts';

export { http };
export const ACCOUNT = '0a6f3b86-5f0e-4f57-9d3e-3f5d7a1c0b11';
/** The account that an attacker claims to be. */
export const VICTIM = 'deadbeef-dead-4bad-8bad-deadbeefdead';
export const TOKEN = 'aaaa.bbbb.cccc';
export const COOKIE = `__store_jwt_token=${TOKEN}`;

type Values = Partial<GatewayValues> & { limits?: object };
export type Gateway = Awaited<ReturnType<typeof startGateway>>;

const unlimited = { perSecond: 10_000, burst: 10_000 };

/**
 * Starts the real gateway, with a recording upstream for each routed service. Auth accepts one token, as the real auth would. There is
 * no rate limit unless the values set one.
 * @param certificate the content of the TLS Secret; with it the gateway also terminates TLS
 */
export async function startGateway({ limits, tls, ...values }: Values = {}, certificate?: Certificate) {
  const seen: Seen[] = [];
  const names = [...new Set(Object.values(topology.routes).map(({ alias }) => alias))];
  const started = await Promise.all(names.map(async (name) => [name, await startUpstream(name, { seen })] as const));
  const { auth, ...services } = Object.fromEntries(started) as Record<
    'auth' | 'account' | 'product' | 'order' | 'status',
    Upstream
  >;
  auth.answer(goodAuth);
  const [port, metricsPort, httpsPort, insidePort] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ]);
  const dir = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  if (certificate) await mountCertificate(dir, certificate);
  const envoy = await startEnvoy({
    values: {
      port,
      metricsPort,
      insidePort,
      upstreams: Object.fromEntries(
        started.map(([name, upstream]) => [name, { host: '127.0.0.1', port: upstream.port }]),
      ),
      external: { url: 'http://127.0.0.1:1' },
      limits: { requests: unlimited, credentials: unlimited, ...limits },
      ...(certificate && { tls: { existingSecret: 'store-tls', port: httpsPort, ...tls } }),
      ...values,
    },
    dir,
    logDir: dir,
    log: (line) => console.error(line),
  });
  const send = (bytes: string | Buffer) => sendRaw(port, bytes);
  const clear = () => seen.splice(0);
  return {
    port,
    httpsPort,
    insidePort,
    metricsPort,
    pid: envoy.pid,
    auth,
    services,
    /** Requests since the last clear(): `seen` has all, `checks` auth's token checks, `reached` those that reached a service. */
    seen,
    checks: () => seen.filter(isCheck),
    reached: () => seen.filter((request) => !isCheck(request)),
    clear,
    /** Clears `seen`, and restores the first answers of the upstreams. */
    reset() {
      clear();
      for (const service of Object.values(services)) service.answer();
      auth.answer(goodAuth);
    },
    /** Sends exactly these bytes. */
    send,
    /** Sends a request; `headers` are whole lines. */
    ask: (firstLine: string, headers?: string[], body?: string) => send(http(firstLine, headers, body)),
    /** Like `ask`, but with the token cookie. */
    askAsCustomer: (firstLine: string, headers: string[] = [], body?: string) =>
      send(http(firstLine, [`Cookie: ${COOKIE}`, ...headers], body)),
    /** The socket of Envoy's admin interface. */
    adminSocket: join(dir, 'admin.sock'),
    metrics: async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text(),
    log: () => readFile(join(dir, 'gateway.log'), 'utf8'),
    /** Replaces the certificate, as kubelet does. */
    mount: (other: Certificate) => mountCertificate(dir, other),
    async stop() {
      await envoy.stop();
      await Promise.all(started.map(([, upstream]) => upstream.down().catch(() => undefined)));
      await rm(dir, { recursive: true });
    },
  };
}

/** A gateway for the tests of a file or of a group. It is reset before each test. */
export function useGateway(...given: Parameters<typeof startGateway>): Gateway {
  const gateway = {} as Gateway;
  beforeAll(async () => {
    Object.assign(gateway, await startGateway(...given));
  });
  afterAll(() => gateway.stop?.());
  beforeEach(() => gateway.reset());
  return gateway;
}

/** A gateway for a part of a test. */
export async function withGateway(
  values: Values,
  use: (gateway: Gateway) => Promise<unknown>,
  certificate?: Certificate,
): Promise<void> {
  const gateway = await startGateway(values, certificate);
  await use(gateway).finally(gateway.stop);
}

/** True for the gateway's own call, with either value of gateway.auth.call. Forwarded requests have x-forwarded-proto, the call has not. */
const isCheck = ({ service, path, headers }: Seen) =>
  service === 'auth' && (path === '/check' || (path === '/auth/solve' && !headers['x-forwarded-proto']));

/** Auth's rule: accept the known token, unless there is another beside it. */
export function goodAuth(seen: Seen): string {
  if (!isCheck(seen)) return reply(200, ['x-service: auth']);
  const { path, headers, body } = seen;
  if (path === '/auth/solve') {
    return body === JSON.stringify({ token: TOKEN })
      ? reply(200, [], JSON.stringify({ idAccount: ACCOUNT }))
      : reply(401);
  }
  const [token, ...others] = cookieReader('__store_jwt_token')(headers.cookie);
  const isKnown = token === TOKEN && others.length === 0;
  return isKnown ? reply(200, [`id-account: ${ACCOUNT}`, `authorization: Bearer ${TOKEN}`]) : reply(401);
}

/** Every header line that a service could take for an identity, in any spelling. */
export const identities = ({ lines }: Seen) => lines.filter((line) => /^[^:]*id[^a-z:]?account/i.test(line));

/** Expects every request that reached a service to have the identity from auth's check, or none if there was no check. */
export function expectNoForgery(gateway: Gateway) {
  const given = gateway.checks().length > 0 ? [`id-account: ${ACCOUNT}`] : [];
  for (const request of gateway.reached()) {
    expect(identities(request)).toEqual(given);
    expect(JSON.stringify(request)).not.toContain(VICTIM);
  }
}

/** Expects the answer to be a problem with this status, or one of these, and these fields. */
export function expectProblem({ status, headers, body }: Answer, statuses: number | number[], fields: object = {}) {
  expect([statuses].flat()).toContain(status);
  expect(headers['content-type']).toBe('application/problem+json');
  expect(JSON.parse(body)).toMatchObject({ status, ...fields });
}
