import { useDatabase } from '../../../../tests/kit/postgres/database.ts';
import { openAnyDatabase } from '../../../../tests/kit/postgres/open-database.ts';
import { sql } from './sql.ts';

const server = useDatabase('account');

const select = sql`select 1`;
/** Takes as long as a page of large orders on a busy machine. */
const slowly = sql`select pg_sleep(0.5)`;

it('a caller that reads many lists at once leaves a connection for the next caller', async () => {
  const { lists, close } = openAnyDatabase(server.url);
  const done: string[] = [];
  const read = (caller: string | undefined, statement: typeof select) =>
    lists.inTurn(caller, async () => {
      await lists.run(statement);
      done.push(`${caller}`);
    });
  // Opens a connection in advance, which may take as long as a slow list.
  await read('earlier', select);
  // In one tick, so that all lists are requested before the first is read.
  const many = Array.from({ length: 6 }, () => read('first', slowly));
  await Promise.all([...many, read('second', select), read('third', select), read(undefined, select)]);
  expect(done.slice(0, 4).sort()).toEqual(['earlier', 'second', 'third', 'undefined']);
  await close();
});

it('slow lists of a caller are read one at a time', async () => {
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
