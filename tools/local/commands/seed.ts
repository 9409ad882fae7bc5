import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { cacheDir } from '../../paths.ts';
import { Tool } from '../../run-command.ts';
import { openPasswords } from '../components/postgres.ts';
import { fixedPorts } from '../ports.ts';

/** The number of products in seed-products.sql. */
const productCount = 1000;

async function connect(database: string): Promise<pg.Client> {
  const passwords = await openPasswords(join(cacheDir, 'data/postgres'));
  const login = { user: database, database, password: passwords.known(database) };
  const client = new pg.Client({ ...login, host: '127.0.0.1', port: fixedPorts().of('postgres') });
  await client.connect();
  return client;
}

/** Runs the statement of a file in a database of the running store. @returns the number of added rows */
async function insert(database: string, file: string): Promise<number> {
  const statement = await readFile(new URL(file, import.meta.url), 'utf8');
  const client = await connect(database).catch((cause) => {
    const port = fixedPorts().of('postgres');
    throw new Error(`No store runs with PostgreSQL on port ${port}: start it with make run.`, { cause });
  });
  const { rowCount } = await client.query(statement).finally(() => client.end());
  return rowCount ?? 0;
}

const counted = (count: number) => (count === 0 ? 'none' : count.toLocaleString('en'));

async function seed(): Promise<void> {
  const added = await insert('product', 'seed-products.sql');
  console.log(`products: ${counted(added)} added, ${counted(productCount - added)} already there`);
  const records = await insert('status', 'seed-status.sql');
  console.log(
    `status records: ${counted(records)} added, ${records ? 'of 100 stations' : 'because some were already there'}`,
  );
}

await new Tool('make seed')
  .description('Adds 1,000 products and 200,000 status records to the running store. Can be repeated.')
  .action(seed)
  .run();
