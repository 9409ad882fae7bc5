import { Kafka, logLevel } from 'kafkajs';
import { topology } from '../../../tools/topology/topology.ts';
import type { TestStore } from '../../e2e/_store.ts';
import { until } from '../../e2e/_store.ts';
import { readTopic } from '../../kit/kafka/topic.ts';
import { queryOnce } from '../../kit/postgres/database.ts';

/**
 * Searches for texts, byte by byte and ignoring case, everywhere the store writes: every row of every table, including binary columns,
 * every message of every topic from its beginning, and every log line.
 * @returns the places where a text was found
 */
export async function placesWith(store: TestStore, texts: string[]): Promise<string[]> {
  const found = [...(await tablesWith(store, texts)), ...(await topicsWith(store, texts))];
  const lines = `${await store.logs()}\n${store.supervisorLines.join('\n')}`.split('\n');
  expect(lines.length).toBeGreaterThan(100);
  return [...found, ...lines.filter((line) => holds(line, texts)).map((line) => `log: ${line}`)];
}

const holds = (text: string, texts: string[]) => texts.some((one) => text.toLowerCase().includes(one.toLowerCase()));

async function tablesWith(store: TestStore, texts: string[]): Promise<string[]> {
  const found: string[] = [];
  // PostgreSQL prints a bytea as hexadecimal digits.
  const written = texts.flatMap((text) => [text, Buffer.from(text).toString('hex')]);
  const conditions = written.map((text) => `strpos(lower(row::text), lower('${text}')) > 0`).join(' or ');
  for (const database of topology.databases) {
    const query = <T extends object>(sql: string) => queryOnce<T>(store.databaseUrl(database), sql);
    const tables = await query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    for (const { name } of tables) {
      const rows = await query<{ text: string }>(`select row::text as text from ${name} as row where ${conditions}`);
      found.push(...rows.map(({ text }) => `${database}, ${name}: ${text}`));
    }
  }
  return found;
}

async function topicsWith(store: TestStore, texts: string[]): Promise<string[]> {
  const found: string[] = [];
  const admin = new Kafka({ brokers: store.kafkaBrokers, logLevel: logLevel.NOTHING }).admin();
  await admin.connect();
  try {
    for (const topic of (await admin.listTopics()).filter((name) => !name.startsWith('__'))) {
      const offsets = await admin.fetchTopicOffsets(topic);
      const count = offsets.reduce((sum, { high, low }) => sum + Number(high) - Number(low), 0);
      const reader = await readTopic(topic, store.kafkaBrokers);
      await until(`${topic} is read`, async () => reader.messages.length >= count, 60_000);
      await reader.close();
      const messages = reader.messages.map((message) => JSON.stringify(message));
      found.push(...messages.filter((message) => holds(message, texts)).map((message) => `${topic}: ${message}`));
    }
  } finally {
    await admin.disconnect();
  }
  return found;
}
