import { BlockList, isIP, isIPv6 } from 'node:net';
import fc from 'fast-check';
import { isForbiddenLiteral, isPublic, publicLookup, rangeOf } from './addresses.ts';
import { endpointUrl } from './endpoint-url.ts';

const forbidden = [
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '168.63.129.16',
  '169.254.169.254',
  '172.16.0.1',
  '192.0.0.1',
  '192.168.1.1',
  '198.18.0.1',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  '::ffff:192.0.2.1',
  '64:ff9b::10.0.0.1',
  '64:ff9b:1::1',
  '100::1',
  '2001::1',
  '2002:a00:1::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fec0::1',
  'ff02::1',
];

it.each(forbidden)('%s is no address on the internet', (address) => {
  expect(isPublic(address, [])).toBe(false);
});

it.each(['1.1.1.1', '93.184.216.34', '2606:4700::1111', '2a00:1450::1'])('%s is one', (address) => {
  expect(isPublic(address, [])).toBe(true);
});

/** Spellings of 127.0.0.1 and 10.0.0.1 that a URL admits. */
it.each([
  'http://2130706433/',
  'http://0x7f.1/',
  'http://017700000001/',
  'http://127.1/',
  'http://0/',
  'http://[::ffff:127.0.0.1]/',
  'http://[0:0:0:0:0:ffff:a00:1]/',
  'http://１２７.0.0.1/',
])('%s is a forbidden literal', (url) => {
  expect(isForbiddenLiteral(new URL(url).hostname, [])).toBe(true);
});

const lookup = (answers: string[], all: boolean, own: string[] = []) =>
  new Promise<unknown>((resolve) =>
    publicLookup(own.map(rangeOf), async () => answers)('example.com', { all }, (error, address) =>
      resolve(error ?? address),
    ),
  );

it('a name is refused if one of its addresses is forbidden, or if it has none', async () => {
  expect(await lookup(['93.184.216.34'], false)).toBe('93.184.216.34');
  expect(await lookup(['93.184.216.34', '2606:4700::1111'], true)).toHaveLength(2);
  expect(await lookup(['93.184.216.34', '10.0.0.1'], true)).toBeInstanceOf(Error);
  expect(await lookup(['10.0.0.1', '93.184.216.34'], false)).toBeInstanceOf(Error);
  expect(await lookup([], true)).toBeInstanceOf(Error);
});

it('public addresses of the own network are refused, as names and as literals', async () => {
  const own = ['203.0.114.0/24', '2606:4700::/32'];
  for (const [address, literal] of [
    ['203.0.114.7', '203.0.114.7'],
    ['2606:4700::1111', '[2606:4700::1111]'],
  ] as const) {
    expect(await lookup([address], false)).toBe(address);
    expect(await lookup([address], false, own)).toBeInstanceOf(Error);
    expect(isForbiddenLiteral(literal, [])).toBe(false);
    expect(isForbiddenLiteral(literal, own.map(rangeOf))).toBe(true);
  }
  expect(await lookup(['203.0.115.7', '2a00:1450::1'], true, own)).toHaveLength(2);
});

/** RFC 6890 and its successors, independent of the library and its names for ranges. */
const internal = new BlockList();
for (const [network, bits] of [
  ...([
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
  ] as const),
  ...([
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['224.0.0.0', 3],
  ] as const),
] as const)
  internal.addSubnet(network, bits);
for (const [network, bits] of [
  ...([
    ['::', 96],
    ['64:ff9b::', 96],
    ['64:ff9b:1::', 48],
    ['2001::', 32],
    ['2002::', 16],
    ['fc00::', 7],
  ] as const),
  ...([
    ['fe80::', 10],
    ['fec0::', 10],
    ['ff00::', 8],
  ] as const),
] as const)
  internal.addSubnet(network, bits, 'ipv6');
/** Node compares `::ffff:10.0.0.1` with the networks of IPv4. Deliveries reach no such address, not even one of the internet. */
const isInternal = (address: string) =>
  internal.check(address, isIPv6(address) ? 'ipv6' : 'ipv4') || /^::ffff:/i.test(address);

const octet = fc.nat(255);
/** Networks of the store, neighbours of them, and anything. */
const v4 = fc.oneof(
  fc.constantFrom('10.0.0.1', '127.0.0.1', '169.254.169.254', '192.168.0.1', '172.31.255.255', '100.64.0.1', '0.0.0.0'),
  fc.constantFrom('9.255.255.255', '11.0.0.0', '172.32.0.0', '100.128.0.0', '93.184.216.34', '198.20.0.0'),
  fc.tuple(octet, octet, octet, octet).map((parts) => parts.join('.')),
);
const hexOf = (address: string) => {
  const [a = 0, b = 0, c = 0, d = 0] = address.split('.').map(Number);
  return [a * 256 + b, c * 256 + d].map((part) => part.toString(16)).join(':');
};
const v6 = fc.oneof(
  v4.map((address) => `::ffff:${address}`),
  v4.map((address) => `64:ff9b::${hexOf(address)}`),
  v4.map((address) => `64:ff9b:1::${hexOf(address)}`),
  v4.map((address) => `2002:${hexOf(address)}::1`),
  fc.constantFrom('::', '::1', 'fd00::1', 'fe80::1', 'ff02::1', '2606:4700::1111', '2a00:1450::1'),
  fc
    .array(fc.nat(0xffff), { minLength: 8, maxLength: 8 })
    .map((parts) => parts.map((part) => part.toString(16)).join(':')),
);
const address = fc.oneof(v4, v6);

it('no address of a private network is public', () => {
  fc.assert(
    fc.property(address, (one) => {
      if (isInternal(one)) expect([one, isPublic(one, [])]).toEqual([one, false]);
    }),
    { numRuns: 10_000 },
  );
});

/** Spellings of an IPv4 address in a URL (WHATWG URL, 3.5). */
const spelled = fc
  .tuple(v4, fc.constantFrom('dotted', 'number', 'hex', 'octal', 'mixed', 'short', 'wide', 'percent', 'dot'))
  .map(([given, way]) => {
    const parts = given.split('.').map(Number);
    const [a = 0, b = 0, c = 0, d = 0] = parts;
    const number = ((a * 256 + b) * 256 + c) * 256 + d;
    const spellings: Record<string, string> = {
      dotted: given,
      number: String(number),
      hex: `0x${number.toString(16)}`,
      octal: parts.map((part) => `0${part.toString(8)}`).join('.'),
      mixed: `0x${a.toString(16)}.${b}.0${c.toString(8)}.${d}`,
      short: `${a}.${number % 2 ** 24}`,
      wide: given.replace(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
      percent: given.replace(/\d/g, (digit) => `%3${digit}`),
      dot: `${given}.`,
    };
    return spellings[way] ?? given;
  });
const host = fc.oneof(
  spelled,
  v6.map((given) => `[${given}]`),
  fc.constantFrom('example.com', 'localhost', 'kubernetes.default.svc', 'EXAMPLE.com.', 'metadata.google.internal'),
);
const url = fc
  .tuple(
    fc.constantFrom('https://', 'HTTPS:', 'http://', 'https:\\\\'),
    fc.constantFrom('', '', '', 'a@', 'a:b@'),
    host,
    fc.constantFrom('', '', ':443', ':8443', ':0443'),
  )
  .map(([scheme, user, name, port]) => `${scheme}${user}${name}${port}/hook`);

/** The addresses that a connection to a URL would be made to, as net.connect finds them. */
async function addressesOf(given: string, resolve: () => string[]): Promise<string[]> {
  let hostname: string;
  try {
    ({ hostname } = new URL(endpointUrl(given, { publicOnly: true, ports: [443], own: [] })));
  } catch {
    return [];
  }
  // It was stored, perhaps long ago by a release with other rules.
  if (isForbiddenLiteral(hostname, [])) return [];
  const literal = hostname.replace(/^\[|\]$/g, '');
  if (isIP(literal) !== 0) return [literal];
  const found = await new Promise<unknown>((done) => {
    publicLookup([], async () => resolve())(hostname, { all: true }, (error, all) => done(error ?? all));
  });
  return found instanceof Error ? [] : (found as { address: string }[]).map((one) => one.address);
}

it('no URL leads to a private network, however it is written and whatever the resolver answers each time', async () => {
  let reached = 0;
  await fc.assert(
    fc.asyncProperty(
      url,
      fc.array(fc.array(address, { maxLength: 3 }), { minLength: 1, maxLength: 3 }),
      async (given, answers) => {
        let asked = 0;
        for (const _attempt of answers) {
          const before = asked;
          const addresses = await addressesOf(given, () => {
            const answer = answers[asked % answers.length] ?? [];
            asked += 1;
            return answer;
          });
          // The one answer that was judged is the one that is used.
          expect(asked - before).toBeLessThanOrEqual(1);
          expect([given, addresses.filter(isInternal)]).toEqual([given, []]);
          reached += addresses.length;
        }
      },
    ),
    { numRuns: 10_000 },
  );
  expect(reached).toBeGreaterThan(100);
});
