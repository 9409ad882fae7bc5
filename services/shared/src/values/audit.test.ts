import { actorOf } from './audit.ts';

const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';

it.each([
  [id, 'ann', `account ${id}`],
  [undefined, 'J%C3%B6rg%20%26%20Ann', 'operator Jörg & Ann'],
  [undefined, '100%', 'operator 100%'],
  [undefined, 'a%00b', 'operator ab'],
  [undefined, 'x'.repeat(300), `operator ${'x'.repeat(200)}`],
  [undefined, encodeURIComponent(`${'x'.repeat(199)}🍵🍵`), `operator ${'x'.repeat(199)}🍵`],
  [undefined, '%E2%80%8B%C2%AD', 'operator'],
  [undefined, '', 'operator'],
  [undefined, undefined, 'operator'],
])('the account %s with the name %s is the actor %s', (accountId, header, expected) => {
  expect(actorOf(accountId, header)).toBe(expected);
});
