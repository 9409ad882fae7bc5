import { type Clock, install } from '@sinonjs/fake-timers';
import { createLog } from '../../observability/log.ts';
import { startWatchdog } from './watchdog.ts';

const log = createLog('test', 'silent');
const seconds = (count: number) => clock.tickAsync(count * 1_000);

let clock: Clock;
let stop: () => void;

beforeEach(() => {
  clock = install();
});
afterEach(() => {
  stop();
  clock.uninstall();
});

/** A client that waits for an answer, a broker that answers, and the watchdog's reactions. */
function start() {
  const state = {
    since: performance.now() as number | undefined,
    answers: true,
    renewed: 0,
    unanswered: [] as string[],
  };
  const renew = () => {
    state.renewed += 1;
  };
  const client = { name: 'consumer', waitingSince: () => state.since, renew };
  const probe = async () => {
    if (!state.answers) throw new Error('no answer');
  };
  stop = startWatchdog({
    watched: [client],
    probe,
    onUnanswered: (name) => void state.unanswered.push(name),
    log,
  }).stop;
  return state;
}

it('renews a client after a minute in which the broker answered only others, and gives it up after another', async () => {
  const state = start();
  await seconds(59);
  expect(state).toMatchObject({ renewed: 0, unanswered: [] });
  await seconds(16);
  expect(state).toMatchObject({ renewed: 1, unanswered: [] });
  await seconds(60);
  expect(state).toMatchObject({ renewed: 1, unanswered: ['consumer'] });
});

it('does nothing more about a client that is answered after its renewal', async () => {
  const state = start();
  await seconds(75);
  for (let n = 0; n < 30; n += 1) {
    state.since = performance.now();
    await seconds(10);
  }
  expect(state).toMatchObject({ renewed: 1, unanswered: [] });
});

it('does nothing while the broker answers nobody, and then starts counting from zero', async () => {
  const state = start();
  state.answers = false;
  await seconds(3_600);
  expect(state).toMatchObject({ renewed: 0, unanswered: [] });
  state.answers = true;
  await seconds(45);
  state.answers = false;
  await seconds(15);
  state.answers = true;
  await seconds(45);
  expect(state).toMatchObject({ renewed: 0, unanswered: [] });
});

it('does nothing about a client that expects no answer', async () => {
  const state = start();
  state.since = undefined;
  await seconds(3_600);
  expect(state).toMatchObject({ renewed: 0, unanswered: [] });
});
