import { http, useGateway } from '../_fixture.ts';
import { sendRaw } from '../_raw.ts';
import type { Seen } from '../_upstream.ts';

// The client's address as services get it, in x-envoy-external-address.

const FORGED = '203.0.113.66';
const name = 'x-envoy-external-address';
const routes = ['POST /auth/login', 'GET /accounts', 'POST /orders', 'GET /orders/events'];
const forgeries = [
  [],
  [`${name}: ${FORGED}`],
  [`X-Envoy-External-Address: ${FORGED}`, `${name}: ${FORGED}`],
  [`${name}:`, `${name}: ${FORGED}`],
  [`${name}: ${FORGED}`, `Connection: keep-alive, ${name}`],
];
const addresses = ({ lines }: Seen) => lines.filter((line) => /^x[^:]*external[^:]*address/i.test(line));

describe.each([
  {
    place: "without a proxy in front, the connection's",
    trustedHops: 0,
    cases: [
      [`X-Forwarded-For: ${FORGED}`, '127.0.0.1'],
      ['X-Forwarded-For: 127.0.0.2', '127.0.0.1'],
      ['X-Forwarded-For: 2001:db8::1', '127.0.0.1'],
      ['X-None: x', '127.0.0.1'],
    ],
  },
  {
    place: 'behind a trusted proxy, the last address, which the proxy added, or its own',
    trustedHops: 1,
    cases: [
      ['X-Forwarded-For: 198.51.100.7', '198.51.100.7'],
      ['X-Forwarded-For: 10.0.0.7', '10.0.0.7'],
      ['X-Forwarded-For: 2001:db8:1:2::7', '2001:db8:1:2::7'],
      [`X-Forwarded-For: ${FORGED}, 198.51.100.7`, '198.51.100.7'],
      ['X-Forwarded-For: nonsense', '127.0.0.1'],
      ['X-Forwarded-For: 198.51.100.7:4711', '198.51.100.7'],
      ['X-Forwarded-For: [2001:db8:1:2::7]:4711', '2001:db8:1:2::7'],
      ['X-Forwarded-For: [2001:db8:1:2::7]', '2001:db8:1:2::7'],
      ['X-Forwarded-For: [fe80::7%eth0]:4711', 'fe80::7'],
      [`X-Forwarded-For: ${FORGED}:1, [2001:db8::1]:2 , 198.51.100.7:4711`, '198.51.100.7'],
      [`X-Forwarded-For: ${FORGED}\r\nX-Forwarded-For: 198.51.100.7:4711`, '198.51.100.7'],
      [`X-Forwarded-For: ${FORGED}:4711, nonsense`, '127.0.0.1'],
      ['X-Forwarded-For: 198.51.100.7:', '127.0.0.1'],
    ],
  },
  {
    place: 'behind two trusted proxies, the last address but one',
    trustedHops: 2,
    cases: [
      ['X-Forwarded-For: 198.51.100.7:4711, 192.0.2.1', '198.51.100.7'],
      ['X-Forwarded-For: [2001:db8:1:2::7]:4711,192.0.2.1:80', '2001:db8:1:2::7'],
      [`X-Forwarded-For: ${FORGED}:1, 198.51.100.7, 192.0.2.1:80`, '198.51.100.7'],
    ],
  },
])('the address is $place', ({ trustedHops, cases }) => {
  const gateway = useGateway({ trustedHops });

  it.each(cases)('%s: %s', async (line, address) => {
    for (const firstLine of routes) {
      for (const forged of forgeries) {
        gateway.clear();
        expect((await gateway.askAsCustomer(firstLine, [...forged, String(line)])).status).toBe(200);
        expect(gateway.reached().map(addresses)).toEqual([[`${name}: ${address}`]]);
      }
    }
  });

  it('is never taken from a trailer', async () => {
    const lines = ['Transfer-Encoding: chunked', `Trailer: ${name}`];
    const trailer = `0\r\n${name}: ${FORGED}\r\n\r\n`;
    expect((await gateway.ask('POST /auth/login', lines, trailer)).status).toBe(200);
    expect(gateway.reached().map(addresses)).toEqual([[`${name}: 127.0.0.1`]]);
    expect(JSON.stringify(gateway.reached())).not.toContain(FORGED);
  });
});

describe('with the PROXY protocol (gateway.proxyProtocol)', () => {
  const gateway = useGateway({ proxyProtocol: true });
  const request = http('POST /auth/login', ['X-Forwarded-For: 192.0.2.99']);
  const version2 = '0d0a0d0a000d0a515549540a2111000c c6336408 7f000001 30390050'.replaceAll(' ', '');

  it.each([
    ['1', Buffer.from('PROXY TCP4 198.51.100.7 127.0.0.1 12345 80\r\n'), '198.51.100.7'],
    ['1, of IPv6', Buffer.from('PROXY TCP6 2001:db8::7 ::1 12345 80\r\n'), '2001:db8::7'],
    ['2', Buffer.from(version2, 'hex'), '198.51.100.8'],
  ])('the address is that of version %s', async (_, header, address) => {
    expect((await gateway.send(Buffer.concat([header, Buffer.from(request)]))).status).toBe(200);
    expect(gateway.reached().map(addresses)).toEqual([[`${name}: ${address}`]]);
  });

  it.each([
    ['without it', request],
    ['with a malformed header', `PROXY TCP4 nobody 127.0.0.1 1 80\r\n${request}`],
  ])('a connection %s is closed', async (_, sent) => {
    await expect(gateway.send(sent)).rejects.toThrow('the connection was closed');
    expect(gateway.reached()).toEqual([]);
  });

  it('the port for clients inside the cluster answers without the header', async () => {
    expect((await sendRaw(gateway.insidePort, request)).status).toBe(200);
    expect(gateway.reached().map(addresses)).toEqual([[`${name}: 127.0.0.1`]]);
  });
});
