import { renderEdited } from '../_edited-chart.ts';
import { answering, notes } from './_notes.ts';

// The notes of Helm after an install, and its refusals because of what is in the cluster. Kinds that "exist" are found by
// every lookup.

const named = { global: { kafka: { bootstrapServers: 'store-kafka-bootstrap:9092' } } };

describe('the notes', () => {
  it('say that the Kafka of the release is for development', async () => {
    expect(await notes({})).toContain('KAFKA IS FOR DEVELOPMENT');
    expect(await notes(named)).not.toContain('KAFKA');
  });

  it.each([
    ['a cluster without it', ['ServiceAccount'], true],
    ['a cluster with it', ['ServiceAccount', 'Service'], false],
    ['no cluster that could be asked', [], false],
  ])('say that the Service of Kafka is missing: %s', async (_, exists, isMissing) => {
    const missing = 'KAFKA IS MISSING: there is no Service store-kafka-bootstrap in the namespace store';
    expect((await notes(named, exists)).includes(missing)).toBe(isMissing);
  });

  it.each([
    ['in another namespace', named.global.kafka.bootstrapServers.replace(':', '.kafka.svc:'), {}],
    ['that Strimzi is about to create', 'store-kafka-bootstrap:9092', { strimzi: { enabled: true } }],
  ])('say nothing of a Kafka %s', async (_, bootstrapServers, kafka) => {
    const values = { global: { kafka: { bootstrapServers } }, kafka };
    expect(await notes(values, ['ServiceAccount'])).not.toContain('KAFKA');
  });
});

it('the notes name global values that are not those of the store', async () => {
  expect(await notes({ global: { interal: {} } })).toContain('global.interal is no value of the store');
  expect(await notes({})).not.toContain('is no value of the store');
});

describe('the checks', () => {
  const check = (exists: string[], values: object, isUpgrade = false) =>
    renderEdited(
      {
        'templates/checks.yaml': (text) => answering(exists)(text).replaceAll('.Release.IsUpgrade', String(isUpgrade)),
      },
      values,
    );

  it('refuse Strimzi without its operator', async () => {
    const values = { ...named, kafka: { strimzi: { enabled: true } } };
    await expect(check(['ServiceAccount'], values)).rejects.toThrow(/install its operator first/);
  });

  it('refuse an upgrade that would leave the Kafka of version 0.1.0', async () => {
    await expect(check(['Service'], {}, true)).rejects.toThrow(
      /set global.kafka.bootstrapServers=store-kafka-bootstrap:9092 to go on with it/,
    );
  });

  it.each([
    ['an upgrade that names it', ['Service'], named, true],
    ['an upgrade from a release that brought its own', ['Service', 'StatefulSet'], {}, true],
    ['an install beside it', ['Service'], {}, false],
  ])('take %s', async (_, exists, values, isUpgrade) => {
    expect(await check(exists, values, isUpgrade)).toContain('kind: Deployment');
  });
});
