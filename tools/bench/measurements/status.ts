import pg from 'pg';
import { alternate } from '../alternate.ts';
import type { Log, Measurement } from '../measurement.ts';
import type { Row } from '../report.ts';

const rowCount = 10_000_000;

/** Measures if the last page of a large table costs more than the first. */
export const status: Measurement = {
  name: 'status',
  components: ['status'],
  keepsData: true,
  async run({ store, log }) {
    await fillTable(store.databaseUrl('status'), log);
    const base = `${store.url('status')}/api/v1/status/?limit=1000`;
    const timed = (url: string) => async () => {
      const start = performance.now();
      const response = await fetch(url);
      const count = ((await response.json()) as unknown[]).length;
      if (count !== 1000) throw new Error(`${url} returned ${response.status} with ${count} records instead of 1000.`);
      return performance.now() - start;
    };
    const last = await pageBeforeLast(store.databaseUrl('status'), base);

    const rows: Row[] = [];
    for (const [name, url] of [
      ['cursor', `${base}&cursor=${encodeURIComponent(last.time)}`],
      ['after', `${base}&after=${last.after}`],
    ] as const) {
      log(`comparing the first and the last page by ${name}`);
      const { first, second, ratio } = await alternate({ rounds: 35, warmUp: 5 }, timed(url), timed(base));
      const measured = `${first.toFixed(1)} against ${second.toFixed(1)} ms at ${rowCount / 1e6} million rows`;
      rows.push({
        name: `Status page of 1000 by ${name}, last against first`,
        measured,
        result: ratio,
        atMost: 1.2,
      });
    }
    log('requesting the farthest page by skip');
    const skipped = await timed(`${base}&skip=10000`)();
    rows.push({ name: 'The farthest by skip, for comparison', measured: `${skipped.toFixed()} ms behind 10 000 rows` });
    return rows;
  },
};

/** Where the last 1000 records begin: their `cursor`, and the `after` that pagination would arrive at. */
async function pageBeforeLast(database: string, base: string) {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows: found } = await client.query(
    `select to_char(time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time
     from station_status order by time desc, station_id desc, id desc offset 1000 limit 1`,
  );
  await client.end();
  const time: string = found[0].time;
  // The Link of a page of one record from just before says how the service itself would continue.
  const before = new Date(Date.parse(time) - 1).toISOString();
  const response = await fetch(`${base.replace('limit=1000', 'limit=1')}&cursor=${encodeURIComponent(before)}`);
  const after = /[?&]after=([^&>]+)/.exec(response.headers.get('link') ?? '')?.[1];
  if (after === undefined) throw new Error('The page before the last has no Link to the next.');
  return { time, after };
}

/** Runs once: the rows are kept. One record per second, of 500 stations in turn, so no two share a time. */
async function fillTable(database: string, log: Log): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const { rows: counted } = await client.query('select count(*)::int as count from station_status');
    if (counted[0].count === rowCount) return;
    log(`inserting ${rowCount / 1e6} million rows, once; takes about two minutes`);
    await client.query('truncate station_status');
    for (let from = 0; from < rowCount; from += 500_000) {
      await client.query(
        `insert into station_status (station_id, bikes_available, docks_available, time, category1)
         select n % 500, n % 40, 40 - n % 40, timestamptz '2020-01-01Z' + n * interval '1 second', 'a'
         from generate_series($1::int, $2::int) n`,
        [from, from + 499_999],
      );
      log(`${(from + 500_000) / 1e6} million rows`);
    }
    await client.query('vacuum (analyze) station_status');
  } finally {
    await client.end();
  }
}
