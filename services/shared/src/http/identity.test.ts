import { clientAddressOf } from './identity.ts';

it.each([
  ['203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:DB8:0:0:ffff::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  [['203.0.113.7', '203.0.113.8'], undefined],
  [undefined, undefined],
])('takes %s for %s', (header, expected) => {
  expect(clientAddressOf(header)).toBe(expected);
});
