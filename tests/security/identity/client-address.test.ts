import { COOKIE, type Fixture, http, startUnlimited } from '../_fixture.ts';
import type { Seen } from '../_upstream.ts';

const FORGED = '203.0.113.66';
const routes = ['POST /auth/login', 'GET /accounts', 'POST /orders', 'GET /orders/events'];
const forgeries = [
  [],
  [`x-envoy-external-address: ${FORGED}`],
  [`X-Envoy-External-Address: ${FORGED}`, `x-envoy-external-address: ${FORGED}`],
  ['x-envoy-external-address:', `x-envoy-external-address: ${FORGED}`],
  [`x-envoy-external-address: ${FORGED}`, 'Connection: keep-alive, x-envoy-external-address'],
];
const addresses = ({ lines }: Seen) => lines.filter((line) => /^x[^:]*external[^:]*address/i.test(line));

/** The address of the client reaches the services on each of these routes, and none that the client made up. */
async function expectAddress(fixture: Fixture, address: string, forwarded: string[]) {
  for (const firstLine of routes) {
    for (const forged of forgeries) {
      fixture.clear();
      const { status } = await fixture.send(http(firstLine, [`Cookie: ${COOKIE}`, ...forged, ...forwarded]));
      expect(status).toBe(200);
      expect(fixture.reached().map(addresses)).toEqual([[`x-envoy-external-address: ${address}`]]);
    }
  }
}

describe("the client's address, as services get it (x-envoy-external-address),", () => {
  describe('without a proxy in front', () => {
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = await startUnlimited();
    });
    afterAll(() => fixture?.stop());

    it.each([
      ['none', []],
      ['an IPv4 address', [`X-Forwarded-For: ${FORGED}`]],
      ['this machine', ['X-Forwarded-For: 127.0.0.2']],
      ['an IPv6 address', ['X-Forwarded-For: 2001:db8::1']],
    ])('is that of the connection, this machine too, with X-Forwarded-For: %s', (_, forwarded) =>
      expectAddress(fixture, '127.0.0.1', forwarded),
    );

    it('is not that of a trailer', async () => {
      fixture.clear();
      const lines = ['Transfer-Encoding: chunked', 'Trailer: x-envoy-external-address'];
      const trailer = `0\r\nx-envoy-external-address: ${FORGED}\r\n\r\n`;
      expect((await fixture.send(http('POST /auth/login', lines) + trailer)).status).toBe(200);
      expect(fixture.reached().map(addresses)).toEqual([['x-envoy-external-address: 127.0.0.1']]);
      expect(JSON.stringify(fixture.reached())).not.toContain(FORGED);
    });
  });

  describe('behind a trusted proxy', () => {
    let fixture: Fixture;
    beforeAll(async () => {
      fixture = await startUnlimited({ trustedHops: 1 });
    });
    afterAll(() => fixture?.stop());

    it.each([
      ['an IPv4 address', '198.51.100.7', '198.51.100.7'],
      ['a private address', '10.0.0.7', '10.0.0.7'],
      ['an IPv6 address', '2001:db8:1:2::7', '2001:db8:1:2::7'],
      ['the last one, which the proxy added', `${FORGED}, 198.51.100.7`, '198.51.100.7'],
      ['that of the proxy where there is none', 'nonsense', '127.0.0.1'],
    ])('is %s', (_, forwarded, address) => expectAddress(fixture, address, [`X-Forwarded-For: ${forwarded}`]));
  });
});
