import { COOKIE, type Fixture, http, startUnlimited } from '../_fixture.ts';

// gateway.proxyProtocol: the client's address as the load balancer in front says it.

let fixture: Fixture;
beforeAll(async () => {
  fixture = await startUnlimited({ proxyProtocol: true });
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.clear());

const request = http('GET /accounts', [`Cookie: ${COOKIE}`, 'X-Forwarded-For: 192.0.2.99']);
const signature = Buffer.from('0d0a0d0a000d0a515549540a', 'hex');
const second = (address: number[]) =>
  Buffer.concat([signature, Buffer.from([0x21, 0x11, 0, 12, ...address, 127, 0, 0, 1, 0x30, 0x39, 0, 80])]);

it.each([
  ['1', Buffer.from('PROXY TCP4 198.51.100.7 127.0.0.1 12345 80\r\n'), '198.51.100.7'],
  ['1, of IPv6', Buffer.from('PROXY TCP6 2001:db8::7 ::1 12345 80\r\n'), '2001:db8::7'],
  ['2', second([198, 51, 100, 8]), '198.51.100.8'],
])('takes the address of version %s', async (_, header, address) => {
  const { status } = await fixture.send(Buffer.concat([header, Buffer.from(request)]));
  expect(status).toBe(200);
  expect(fixture.reached()[0]?.headers['x-envoy-external-address']).toBe(address);
});

it.each([
  ['without it', request],
  ['with one that is malformed', `PROXY TCP4 nobody 127.0.0.1 1 80\r\n${request}`],
])('closes a connection %s', async (_, sent) => {
  await expect(fixture.send(sent)).rejects.toThrow('the connection was closed');
  expect(fixture.reached()).toEqual([]);
});
