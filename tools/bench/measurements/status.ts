import pg from 'pg';
import type { Measurement } from '../measurement.ts';
import { inTurns, medians } from '../rates.ts';

const rows = 10_000_000;
const rounds = 40;

/** Whether the last page of a large table costs more than the first. */
export const status: Measurement = {
  name: 'status',
  components: ['status'],
  keepsData: true,
  async run({ store, say }) {
    await fillTable(store.databaseUrl('status'), say);
    const base = `${store.urls.status}/api/v1/status/?limit=1000`;
    const timed = (url: string) => async () => {
      const began = performance.now();
      const answer = await fetch(url);
      const count = ((await answer.json()) as unknown[]).length;
      if (count !== 1000) throw new Error(`${url} answers ${answer.status} with ${count} records instead of 1000.`);
      return performance.now() - began;
    };
    const last = await pageBeforeLast(store.databaseUrl('status'), base);

    const results = [];
    for (const [name, url] of [
      ['cursor', `${base}&cursor=${encodeURIComponent(last.time)}`],
      ['after', `${base}&after=${last.after}`],
    ] as const) {
      say(`compares first and last page by ${name}`);
      const pairs = (await inTurns(rounds, timed(url), timed(base))).slice(5); // the first ones warm up
      const { first, second, ratio } = medians(pairs);
      const measured = `${first.toFixed(1)} against ${second.toFixed(1)} ms at ${rows / 1e6} million rows`;
      results.push({
        what: `Status page of 1000 by ${name}, last against first`,
        measured,
        result: ratio,
        atMost: 1.2,
      });
    }
    say('asks for the last page by skip');
    // The service gives a statement 10 s, which this one may need on a busy machine.
    const skipped = await timed(`${base}&skip=${rows - 1000}`)().then((ms) => `${ms.toFixed()} ms`, String);
    results.push({ what: 'The same by skip, for comparison', measured: skipped });
    return results;
  },
};

/** Where the last 1000 records begin: their cursor, and the `after` that a walk would bring there. */
async function pageBeforeLast(database: string, base: string) {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  const { rows: found } = await client.query(
    `select to_char(time at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as time
     from station_status order by time desc, station_id desc, id desc offset 1000 limit 1`,
  );
  await client.end();
  const time: string = found[0].time;
  // A page of one record from just before: its Link says how the service itself would go on.
  const before = new Date(Date.parse(time) - 1).toISOString();
  const answer = await fetch(`${base.replace('limit=1000', 'limit=1')}&cursor=${encodeURIComponent(before)}`);
  const after = /[?&]after=([^&>]+)/.exec(answer.headers.get('link') ?? '')?.[1];
  if (after === undefined) throw new Error('The page before the last has no Link to the next.');
  return { time, after };
}

/** Made once, kept for the next run. One record a second of 500 stations in turn, so no two share a time. */
async function fillTable(database: string, say: (line: string) => void): Promise<void> {
  const client = new pg.Client({ connectionString: database });
  await client.connect();
  try {
    const { rows: counted } = await client.query('select count(*)::int as count from station_status');
    if (counted[0].count === rows) return;
    say(`makes ${rows / 1e6} million rows, once; about two minutes`);
    await client.query('truncate station_status');
    for (let from = 0; from < rows; from += 500_000) {
      await client.query(
        `insert into station_status (station_id, bikes_available, docks_available, time, category1)
         select n % 500, n % 40, 40 - n % 40, timestamptz '2020-01-01Z' + n * interval '1 second', 'a'
         from generate_series($1::int, $2::int) n`,
        [from, from + 499_999],
      );
      say(`${(from + 500_000) / 1e6} million rows`);
    }
    await client.query('vacuum (analyze) station_status');
  } finally {
    await client.end();
  }
}
