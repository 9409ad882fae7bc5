import { createPasswords } from './passwords.ts';

/** One hash at a time; returns the order in which the work was done, by its names. */
async function inOrder(work: (passwords: Awaited<ReturnType<typeof createPasswords>>) => [string, Promise<unknown>][]) {
  const done: string[] = [];
  const all = work(await createPasswords({ concurrency: 1 }));
  await Promise.all(all.map(([name, one]) => one.then(() => done.push(name))));
  return done;
}

const many = (name: string, begin: (n: number) => Promise<unknown>) =>
  Array.from({ length: 10 }, (_, n): [string, Promise<unknown>] => [name, begin(n)]);

describe('nobody waits for more than a hash of', () => {
  it('those who guess the password of another account from many addresses', async () => {
    const done = await inOrder(({ verify }) => [
      // Letter case makes no other account.
      ...many('guess', (n) => verify(undefined, 'x', { email: n % 2 ? 'ADA@x' : 'ada@x', client: `10.0.0.${n}` })),
      ['login', verify(undefined, 'x', { email: 'bob@x', client: '10.0.1.1' })],
    ]);
    expect(done.indexOf('login')).toBeLessThanOrEqual(2); // after the one that ran and the one that waited before it
  });

  it('those who guess the passwords of many accounts from another address', async () => {
    const done = await inOrder(({ verify }) => [
      ...many('guess', (n) => verify(undefined, 'x', { email: `ada${n}@x`, client: '10.0.0.1' })),
      ['login', verify(undefined, 'x', { email: 'bob@x', client: '10.0.1.1' })],
    ]);
    expect(done.indexOf('login')).toBeLessThanOrEqual(2);
  });

  it('those who register many accounts from another address', async () => {
    const done = await inOrder(({ hash }) => [
      ...many('registration', () => hash('x', '10.0.0.1')),
      ['own', hash('x', '10.0.1.1')],
    ]);
    expect(done.indexOf('own')).toBeLessThanOrEqual(2);
  });
});
