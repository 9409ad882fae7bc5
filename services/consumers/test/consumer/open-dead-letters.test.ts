import { reportOpenLetters } from '@store/shared/messaging/dead-letters/records';
import type { KyselyPlugin } from 'kysely';
import { register } from 'prom-client';
import { deadLetteredEvents, operator } from './_dead-letters.ts';
import { createFixture, type Fixture } from './_fixture.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await createFixture(1);
});

afterEach(() => fixture.close());

it('the metric counts the letters until somebody decides about them, also while the database is away', async () => {
  let isAway = false;
  const unreliable: KyselyPlugin = {
    transformQuery({ node }) {
      if (isAway) throw new Error('away');
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  reportOpenLetters(fixture.kysely.withPlugin(unreliable), fixture.group);
  const open = async () => (await register.getSingleMetric('dead_letters_open')?.get())?.values;
  const counted = (value: number) => [{ labels: { group: fixture.group }, value }];
  expect(await open()).toEqual(counted(0));

  await deadLetteredEvents(fixture, 3);
  expect(await open()).toEqual(counted(3));
  isAway = true;
  expect(await open()).toEqual(counted(3));
  isAway = false;

  const ann = operator(fixture);
  const [first = '', ...others] = await ann.ids();
  await ann.discard([first]).expect(200);
  expect(await open()).toEqual(counted(2));
  await ann.redrive(others).expect(200);
  expect(await open()).toEqual(counted(0));
});
