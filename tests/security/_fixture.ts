import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../../tools/free-port.ts';
import { type GatewayValues, startGateway } from '../../tools/local/components/gateway.ts';
import { topology } from '../../tools/topology/topology.ts';
import { type Answer, sendRaw } from './_raw.ts';
import { reply, type Seen, startUpstream, type Upstream } from './_upstream.ts';

export const ACCOUNT = '0a6f3b86-5f0e-4f57-9d3e-3f5d7a1c0b11';
/** The account that an attacker claims to be. */
export const VICTIM = 'deadbeef-dead-4bad-8bad-deadbeefdead';
export const TOKEN = 'aaaa.bbbb.cccc';
export const COOKIE = `__store_jwt_token=${TOKEN}`;

export interface Fixture {
  port: number;
  metricsPort: number;
  /** The socket of Envoy's admin interface. */
  adminSocket: string;
  /** The process id of Envoy. */
  pid(): number | undefined;
  auth: Upstream;
  services: Record<'account' | 'product' | 'order' | 'status', Upstream>;
  /** Requests since the last clear(): the token checks of auth, and the requests that reached a service. */
  checks(): Seen[];
  reached(): Seen[];
  clear(): void;
  send(request: string | Buffer): Promise<Answer>;
  log(): Promise<string>;
  stop(): Promise<void>;
}

/**
 * The real gateway, with a recording upstream for each routed service. Auth accepts one token, as the real one would.
 * @param folder what is mounted at /etc/envoy in the cluster
 */
export async function startFixture(values: Partial<GatewayValues> = {}, folder?: string): Promise<Fixture> {
  const seen: Seen[] = [];
  const start = (name: string) => startUpstream(name, (request) => seen.push(request));
  const names = [...new Set(Object.values(topology.routes).map(({ alias }) => alias))];
  const started = await Promise.all(names.map(async (name) => [name, await start(name)] as const));
  const { auth, ...services } = Object.fromEntries(started) as Fixture['services'] & { auth: Upstream };
  auth.answer(goodAuth);
  const [port, metricsPort] = await Promise.all([freePort(), freePort()]);
  const dir = folder ?? (await mkdtemp(join(tmpdir(), 'gateway-test-')));
  const upstreams = Object.fromEntries(started.map(([name, { port }]) => [name, { host: '127.0.0.1', port }]));
  const gateway = await startGateway({
    values: { port, metricsPort, upstreams, external: { url: 'http://127.0.0.1:1' }, ...values },
    dir,
    logDir: dir,
    log: (line) => console.error(line),
  });
  return {
    port,
    metricsPort,
    adminSocket: join(dir, 'admin.sock'),
    pid: gateway.pid,
    auth,
    services,
    checks: () => seen.filter(isCheck),
    reached: () => seen.filter((request) => !isCheck(request)),
    clear: () => {
      seen.length = 0;
    },
    send: (request) => sendRaw(port, request),
    log: () => readFile(join(dir, 'gateway.log'), 'utf8'),
    stop: async () => {
      await gateway.stop();
      await Promise.all([auth, ...Object.values(services)].map((upstream) => upstream.down().catch(() => undefined)));
      await rm(dir, { recursive: true });
    },
  };
}

const unlimited = { perSecond: 10000, burst: 10000 };

/** For tests that send more requests than the rate limits allow. */
export const startUnlimited = (values: Partial<GatewayValues> = {}, folder?: string) =>
  startFixture({ limits: { requests: unlimited, credentials: unlimited }, ...values }, folder);

/** The gateway's own call, by either value of gateway.auth.call: what it forwards says how the customer came. */
const isCheck = ({ service, path, headers }: Seen) =>
  service === 'auth' && (path === '/check' || (path === '/auth/solve' && !headers['x-forwarded-proto']));

/** Auth's rule: exactly one token cookie, with the known token. Two Cookie headers arrive joined by a comma. */
export function goodAuth(seen: Seen): string {
  if (!isCheck(seen)) return reply(200, ['x-service: auth']);
  const { path, headers, body } = seen;
  if (path === '/auth/solve') {
    return body === JSON.stringify({ token: TOKEN })
      ? reply(200, [], JSON.stringify({ idAccount: ACCOUNT }))
      : reply(401);
  }
  const tokens = (headers.cookie ?? '')
    .split(/[;,]/)
    .filter((cookie) => cookie.trim().startsWith('__store_jwt_token='));
  const known = tokens.length === 1 && tokens[0]?.trim() === COOKIE;
  return known ? reply(200, [`id-account: ${ACCOUNT}`, `authorization: Bearer ${TOKEN}`]) : reply(401);
}

/** The text of an HTTP/1.1 request; `headers` are whole lines. */
export const http = (firstLine: string, headers: string[] = [], body = '') =>
  [`${firstLine} HTTP/1.1`, 'Host: store.test', ...headers, '', body].join('\r\n');

/** Every header line that a service could take for an identity, in any spelling. */
export const identities = ({ lines }: Seen) => lines.filter((line) => /^[^:]*id[^a-z:]?account/i.test(line));

/** Every request that reached a service has the identity from auth's check, or none if there was no check. */
export function expectNoForgery(fixture: Fixture) {
  const given = fixture.checks().length > 0 ? [`id-account: ${ACCOUNT}`] : [];
  for (const request of fixture.reached()) {
    expect(identities(request)).toEqual(given);
    expect(JSON.stringify(request)).not.toContain(VICTIM);
  }
}
