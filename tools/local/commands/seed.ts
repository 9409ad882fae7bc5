import { join } from 'node:path';
import pg from 'pg';
import { cacheDir } from '../../paths.ts';
import { Tool } from '../../run-command.ts';
import { openPasswords } from '../components/postgres.ts';
import { fixedPorts } from '../ports.ts';

const productCount = 1000;

const products = `
  insert into products (id, created_at, name, price, unit)
  select gen_random_uuid(), clock_timestamp(), name, (25 + n * 7919 % 9975) / 100.0,
    (array['box', 'kg', 'packet', 'litre', 'piece'])[n % 5 + 1]
  from (
    select n, format('Sample %s %s', kinds[n % 10 + 1], to_char(n + 1, 'FM0000')) as name
    from generate_series(0, ${productCount - 1}) as n,
      (values (array['tea', 'coffee', 'biscuits', 'honey', 'rice', 'lentils', 'olive oil', 'soap', 'candles', 'paper']))
        as names (kinds)
  ) as samples
  where not exists (select from products where products.name = samples.name)`;

/** All stations report at the same instant, every ten minutes. */
const statusRecords = `
  insert into station_status (time, station_id, bikes_available, docks_available, category1, category2)
  select timestamptz '2026-01-01 00:00Z' + instant * interval '10 minutes', station, bikes, 24 - bikes,
    (array['centre', 'harbour', 'campus', 'hills'])[station % 4 + 1], case when bikes = 0 then 'empty' end
  from (
    select instant, station, (station * 31 + instant * 17 + station * instant % 7) % 25 as bikes
    from generate_series(0, 1999) as instant, generate_series(1, 100) as station
  ) as reports
  where not exists (select from station_status)`;

async function connect(database: string): Promise<pg.Client> {
  const passwords = await openPasswords(join(cacheDir, 'data/postgres'));
  const login = { user: database, database, password: passwords.known(database) };
  const client = new pg.Client({ ...login, host: '127.0.0.1', port: fixedPorts().of('postgres') });
  await client.connect();
  return client;
}

/** Runs a statement in a database of the running store. @returns how many rows it has added */
async function insert(database: string, statement: string): Promise<number> {
  const client = await connect(database).catch((cause) => {
    throw new Error('The store is not running: start it with make run.', { cause });
  });
  try {
    return (await client.query(statement)).rowCount ?? 0;
  } finally {
    await client.end();
  }
}

async function seed(): Promise<void> {
  const added = await insert('product', products);
  console.log(`products: ${added || 'none'} added, ${productCount - added} existed`);
  const records = await insert('status', statusRecords);
  const said = records ? `${records.toLocaleString('en')} added, of 100 stations` : 'none added, some existed';
  console.log(`status records: ${said}`);
}

await new Tool('make seed')
  .description('Adds 1,000 products and 200,000 status records to the running store. Can be repeated.')
  .action(seed)
  .run();
