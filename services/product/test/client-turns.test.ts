import { testLog } from '../../../tests/kit/observability/log.ts';
import { queryOnce, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { whileHolding } from '../../../tests/kit/postgres/transaction.ts';
import { until } from '../../../tests/kit/until.ts';
import { testApp } from './_app.ts';

const database = useDatabase('product');
const product = database.open((url) => testApp(url, { log: testLog('product', /A dependency is unavailable/) }));

/** Statements about some text that wait for a lock. */
async function blocked(about: string): Promise<number> {
  const rows = await queryOnce<{ query: string }>(
    database.url,
    'select query from pg_stat_activity where datname = current_database() and wait_event_type = $$Lock$$',
  );
  return rows.filter(({ query }) => query.includes(about)).length;
}

let rounds = 0;

/** Has one client search while another asks for a list. @returns whether that was read before any search was answered */
async function isReadFirst(): Promise<boolean> {
  rounds += 1;
  let answered = 0;
  const get = async (path: string, address: string) => {
    const { status } = await product.get(path).set('x-envoy-external-address', address);
    answered += 1;
    expect([200, 503]).toContain(status);
  };
  const lock = 'lock table products in access exclusive mode';
  const { answers, isFirst } = await whileHolding(database.url, lock, [], async () => {
    // In one tick: each has a text of its own, which no other answer serves, and all an address that is not known to be slow.
    const answers = Array.from({ length: 20 }, (_, n) =>
      get(`/products?q=e-a-${n}&size=${rounds}`, `198.51.100.${rounds}`),
    );
    await until('searches are under way', async () => (await blocked('ilike')) >= 4);
    answers.push(get('/products/categories', '192.0.2.1'));
    await until('the other list is read', async () => (await blocked('recursive')) === 1 || answered > 0);
    return { answers, isFirst: answered === 0 };
  });
  await Promise.all(answers);
  return isFirst;
}

it('searches of one client address, however many, leave a connection for the list of another', () =>
  // Once more where a busy machine lets the searches run into their time-out before.
  until('the list of the other is read first', isReadFirst, { timeoutMs: 15_000 }));
