import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { openAnyDatabase } from '../../../../tests/kit/postgres/open-database.ts';
import { sql } from './sql.ts';

const server = useDatabase('account');

const select = sql`select 1`;
/** As long as a page of large orders takes on a busy machine. */
const slowly = sql`select pg_sleep(0.5)`;

it('a caller who reads many lists at once leaves a connection to whoever comes next', async () => {
  const { lists, close } = openAnyDatabase(server.url);
  const done: string[] = [];
  const read = (caller: string | undefined, statement: typeof select) =>
    lists.inTurn(caller, async () => {
      await lists.run(statement);
      done.push(`${caller}`);
    });
  // Opens a connection, which may take as long as a slow list.
  await read('earlier', select);
  // In one tick, so that nothing is read before all have been asked for.
  const many = Array.from({ length: 6 }, () => read('first', slowly));
  await Promise.all([...many, read('second', select), read('third', select), read(undefined, select)]);
  expect(done.slice(0, 4).sort()).toEqual(['earlier', 'second', 'third', 'undefined']);
  await close();
});

it('a caller whose lists are slow has them read one at a time', async () => {
  const { lists, close } = openAnyDatabase(server.url);
  let running = 0;
  let most = 0;
  const read = () =>
    lists.inTurn('first', async () => {
      running += 1;
      most = Math.max(most, running);
      await lists.run(sql`select pg_sleep(0.1)`);
      running -= 1;
    });
  await read();
  await Promise.all(Array.from({ length: 4 }, read));
  expect(most).toBe(1);
  await close();
});
