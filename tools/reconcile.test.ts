import { execa } from 'execa';
import { serve } from '../tests/kit/listen.ts';
import { root } from './paths.ts';

const dayMs = 86_400_000;
const difference = {
  what: 'missing-here',
  kind: 'refund',
  subject: '0b0b0b0b-0000-4000-8000-000000000001',
  there: { id: 're_1', amount: { amount: -12.5, currency: 'USD' }, at: '2026-03-01T12:00:00.000Z' },
  here: null,
};

interface Asked {
  run: string;
  from: string;
  to: string;
}

/** A payment service that has compared. @param found what it found in each period, in turn */
async function fakePayment(found: object[]) {
  const asked: Asked[] = [];
  const url = await serve(async (req, res) => {
    const body = JSON.parse(Buffer.concat(await req.toArray()).toString());
    const result = {
      ...{ provider: 'stripe', hasList: true, from: body.from, to: body.to, at: new Date().toISOString() },
      ...{ there: 3, here: 3, missingHere: 0, missingThere: 0, different: 0, differences: [], problems: [] },
      ...found[asked.length],
    };
    asked.push(body);
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(result));
  });
  return { asked, port: new URL(url).port };
}

async function reconcile(port: string, variables: Record<string, string> = {}) {
  const command = ['--conditions=@store/source', 'tools/local/commands/reconcile.ts'];
  const env = { PAYMENT_PORT: port, ...variables, NODE_OPTIONS: '' };
  const { exitCode, stdout, stderr } = await execa(process.execPath, command, { cwd: root, env, reject: false });
  return { exitCode, stdout, stderr };
}

it('make reconcile compares day by day, up to 15 minutes ago, as one run', async () => {
  const payment = await fakePayment([]);
  const { exitCode, stdout } = await reconcile(payment.port, { DAYS: '4' });
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/3 at stripe, 3 in the books[\s\S]*The books are balanced, and agree with the payments\.$/);
  const { asked } = payment;
  expect(asked).toHaveLength(4);
  expect(new Set(asked.map(({ run }) => run)).size).toBe(1);
  for (const [index, { from, to }] of asked.entries()) {
    expect(Date.parse(to) - Date.parse(from)).toBe(dayMs);
    if (index > 0) expect(from).toBe(asked[index - 1]?.to);
  }
  expect(Date.now() - Date.parse(asked.at(-1)?.to ?? '')).toBeGreaterThanOrEqual(15 * 60_000);
});

it('make reconcile lists differences of all days, and fails', async () => {
  const payment = await fakePayment([{ missingHere: 1, differences: [difference] }, {}, {}]);
  const { exitCode, stdout } = await reconcile(payment.port);
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(
    /missing in the books +\| refund +\| 0b0b0b0b-\S+ +\| -12\.50 USD at 2026-03-01T12:00:00\.000Z/,
  );
  expect(stdout).toContain('1 differences, 0 problems: docs/runbooks/books.md says what to do.');
});

it('make reconcile fails for a problem of the books', async () => {
  const payment = await fakePayment([{ problems: ['The accounts in USD do not add up to zero.'] }]);
  const { exitCode, stdout } = await reconcile(payment.port, { DAYS: '1' });
  expect(exitCode).toBe(1);
  expect(stdout).toContain('The accounts in USD do not add up to zero.');
});

it('make reconcile with the built-in provider says that there is nothing to compare, and checks the books', async () => {
  const payment = await fakePayment(Array(2).fill({ provider: 'built-in', hasList: false, there: 0, here: 0 }));
  const { exitCode, stdout } = await reconcile(payment.port, { DAYS: '2' });
  expect(exitCode).toBe(0);
  expect(stdout).toBe(
    `The built-in provider moves no money and keeps no list, so there is nothing to compare the books with.
The books are balanced, and agree with the payments.`,
  );
  expect(payment.asked).toHaveLength(2);
});

it.each(['0', '367', '1.5', 'all'])('make reconcile refuses DAYS=%s', async (days) => {
  const payment = await fakePayment([]);
  const { exitCode, stderr } = await reconcile(payment.port, { DAYS: days });
  expect(exitCode).toBe(1);
  expect(stderr).toContain('must be 1 to 366');
  expect(payment.asked).toEqual([]);
});

it('make reconcile fails without the payment service', async () => {
  const { exitCode, stderr } = await reconcile('1');
  expect(exitCode).toBe(1);
  expect(stderr).toContain('payment');
});
