import { newCredential } from '../../../../tests/kit/credentials.ts';
import { callersWith } from './internal-credentials.ts';

const [current, next] = [newCredential(), newCredential()];
const check = callersWith([current, next]);

it.each([current, next])('admits each of the configured credentials', (credential) => {
  expect(() => check(`Bearer ${credential}`)).not.toThrow();
  expect(() => check(`bearer ${credential}`)).not.toThrow();
});

it.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['an empty bearer', 'Bearer '],
  ['a foreign credential', `Bearer ${newCredential()}`],
  ['a part of a credential', `Bearer ${current.slice(1)}`],
  ['both credentials', `Bearer ${current},${next}`],
  ['a credential with trailing text', `Bearer ${current} `],
  ['a credential under another scheme', `Basic ${current}`],
])('refuses %s without repeating it', (_, authorization) => {
  let refusal: unknown;
  try {
    check(authorization);
  } catch (error) {
    refusal = error;
  }
  expect(refusal).toMatchObject({ kind: 'forbidden' });
  expect(String(refusal)).not.toContain(current.slice(1));
});

it('admits everybody if no credential is configured', () => {
  expect(() => callersWith(undefined)(undefined)).not.toThrow();
});
