import { createPasswords } from './passwords.ts';

/** Runs the work with one hash at a time. @returns its names in the order in which it finished */
async function inOrder(work: (passwords: Awaited<ReturnType<typeof createPasswords>>) => [string, Promise<unknown>][]) {
  const done: string[] = [];
  const all = work(await createPasswords({ concurrency: 1 }));
  await Promise.all(all.map(([name, one]) => one.then(() => done.push(name))));
  return done;
}

const many = (name: string, begin: (n: number) => Promise<unknown>) =>
  Array.from({ length: 10 }, (_, n): [string, Promise<unknown>] => [name, begin(n)]);

describe('a request waits behind at most one queued hash', () => {
  it('of clients that guess the password of another account from many addresses', async () => {
    const done = await inOrder(({ verify }) => [
      // Addresses that differ only in case belong to the same account.
      ...many('guess', (n) => verify(undefined, 'x', { email: n % 2 ? 'ADA@x' : 'ada@x', client: `10.0.0.${n}` })),
      ['login', verify(undefined, 'x', { email: 'bob@x', client: '10.0.1.1' })],
    ]);
    expect(done.indexOf('login')).toBeLessThanOrEqual(2); // after the guess that ran and the guess that was next
  });

  it('of a client that guesses the passwords of many accounts from another address', async () => {
    const done = await inOrder(({ verify }) => [
      ...many('guess', (n) => verify(undefined, 'x', { email: `ada${n}@x`, client: '10.0.0.1' })),
      ['login', verify(undefined, 'x', { email: 'bob@x', client: '10.0.1.1' })],
    ]);
    expect(done.indexOf('login')).toBeLessThanOrEqual(2);
  });

  it('of a client that registers many accounts from another address', async () => {
    const done = await inOrder(({ hash }) => [
      ...many('registration', () => hash('x', '10.0.0.1')),
      ['own', hash('x', '10.0.1.1')],
    ]);
    expect(done.indexOf('own')).toBeLessThanOrEqual(2);
  });
});
