import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { componentOf, evaluate, isReady, podsOf } from '../../../tools/cluster/pods.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { useFolder } from '../../kit/folder.ts';
import { helm, helmIn, cluster as installed, kubectl, say, until } from '../kit/cluster.ts';

// The chart as published, beside the installed store, in a separate namespace, with no values except the images.

const namespace = 'store-without-values';
const release = 'store';
const cluster = { ...installed, namespace, release };
const consumers = topology.services.flatMap(({ alias, group }) => (group ? [alias] : [])).sort();

const images = join(useFolder(), 'images.yaml');

const remove = () => kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=280s']);
const run = (...args: string[]) => helmIn(namespace, ...args);

beforeAll(async () => {
  await remove();
  // The notes look into the namespace, so it must exist first.
  await installed.core.createNamespace({ body: { metadata: { name: namespace } } });
  const { image } = JSON.parse(await helm('get', 'values', installed.release, '--all', '--output', 'json')).global;
  // KAFKA_IMAGE, if the chart's Kafka image cannot be pulled
  const kafka = process.env.KAFKA_IMAGE ? { image: process.env.KAFKA_IMAGE } : {};
  await writeFile(images, stringify({ global: { image }, kafka }));
}, 300_000);
afterAll(remove, 300_000);

it('without Kafka the notes say so, and components that need it are not ready', async () => {
  const elsewhere = ['--set', 'global.kafka.bootstrapServers=nowhere:9092'];
  const notes = await run('install', release, 'charts/store', '--values', images, ...elsewhere);
  expect(notes).toContain(`KAFKA IS MISSING: there is no Service nowhere in the namespace ${namespace}`);

  await until('all others are ready, and the consumers name what they wait for', async () => {
    const pods = (await podsOf(cluster)).filter(({ status }) => status?.phase === 'Running');
    const unready = pods.filter((pod) => !isReady(pod));
    expect(unready.map(componentOf).sort()).toEqual(consumers);
    expect(pods.map(componentOf)).toEqual(expect.arrayContaining(['gateway', 'order', 'postgres']));
    for (const pod of unready) {
      const ask = `console.log(await (await fetch('http://127.0.0.1:8080/health/ready')).text())`;
      expect(await evaluate(cluster, pod, ask)).toEqual({ status: 'DOWN', waitingFor: ['kafka'] });
    }
  });
});

it('with the Kafka of the release everything is ready, and an order is confirmed', async () => {
  const notes = await run('upgrade', release, 'charts/store', '--values', images, '--wait', '--timeout', '10m');
  expect(notes).toContain('KAFKA IS FOR DEVELOPMENT');
  say('helm test, which uses the store as a customer');
  await run('test', release, '--timeout', '5m');
});

it('events and topics survive an uninstall', async () => {
  await run('uninstall', release, '--wait', '--timeout', '5m');
  await run('install', release, 'charts/store', '--values', images, '--wait', '--timeout', '10m');
  const [pod] = await podsOf(cluster, 'kafka');
  const log = await cluster.core.readNamespacedPodLog({ name: pod?.metadata?.name ?? '', namespace });
  expect(log).not.toContain('Formatting');
  await run('test', release, '--timeout', '5m');
});
