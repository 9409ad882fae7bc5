import { newCredential } from '../../../../tests/kit/credentials.ts';
import { callersWith } from './internal-credentials.ts';

const [current, next] = [newCredential(), newCredential()];
const check = callersWith([current, next]);

it.each([current, next])('admits each of the configured credentials', (credential) => {
  expect(() => check(`Bearer ${credential}`)).not.toThrow();
  expect(() => check(`bearer ${credential}`)).not.toThrow();
});

it.each([
  ['none', undefined],
  ['an empty one', ''],
  ['an empty bearer', 'Bearer '],
  ['a foreign one', `Bearer ${newCredential()}`],
  ['a part of one', `Bearer ${current.slice(1)}`],
  ['both', `Bearer ${current},${next}`],
  ['one with more behind it', `Bearer ${current} `],
  ['one under another scheme', `Basic ${current}`],
])('refuses %s, and does not repeat it', (_, authorization) => {
  let refusal: unknown;
  try {
    check(authorization);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toMatchObject({ kind: 'forbidden' });
  expect(String(refusal)).not.toContain(current.slice(1));
});

it('admits everybody where none is configured', () => {
  expect(() => callersWith(undefined)(undefined)).not.toThrow();
});
