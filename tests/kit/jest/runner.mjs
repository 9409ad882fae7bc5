import { createRunner } from 'jest-light-runner';
import { keepFilesInMemory } from './memory.mjs';
import { rerunFailed } from './rerun.mjs';
import { start } from './shared.mjs';

const LightRunner = createRunner();

/**
 * Files whose paths contain these parts start first, so that none of them runs alone at the end. Jest itself only knows how long files
 * took earlier on this machine. The order mixes files that compute with files that wait.
 */
const longest =
  'generator relays.test broker.test faults.test hostile-load image.test tabs silence attempts operator. buying'.split(
    ' ',
  );
function rankOf({ path }) {
  const rank = longest.findIndex((part) => path.includes(part));
  return rank < 0 ? longest.length : rank;
}

/**
 * Runs files as jest-light-runner does, but projects share threads, so that a thread loads a module once. Projects whose files mostly
 * wait run in a separate, half as large pool, while the others keep the processors busy.
 */
export default class SharedThreadsRunner {
  #globalConfig;

  constructor(globalConfig) {
    this.#globalConfig = globalConfig;
  }

  async runTests(tests, _watcher, ...listeners) {
    keepFilesInMemory();
    const ordered = tests.toSorted((a, b) => rankOf(a) - rankOf(b));
    const runAll = (...args) => this.#runAll(...args);
    if (!process.env.RERUN_FAILED) return runAll(ordered, ...listeners);
    // With maxWorkers 2 the file gets its own thread; with 1 it would run in Jest's thread.
    const runAlone = (test, ...ends) => this.#run([test], 2, async () => undefined, ...ends);
    await rerunFailed(runAll, runAlone, ordered, listeners);
  }

  async #runAll(tests, ...listeners) {
    const { maxWorkers } = this.#globalConfig;
    if (maxWorkers === 1) return this.#run(tests, 1, ...listeners);
    const { waiting = [], busy = [] } = Object.groupBy(tests, ({ context }) =>
      context.config.globals.waits ? 'waiting' : 'busy',
    );
    await Promise.all([
      this.#run(waiting, Math.ceil(maxWorkers / 2), ...listeners),
      this.#run(busy, maxWorkers, ...listeners),
    ]);
  }

  /** Starts what these files share, and runs them. Threads belong to a config, and keep the environment they were started with. */
  async #run(tests, maxWorkers, onStart, onResult, onFailure) {
    const shared = new Set(tests.flatMap(({ context }) => context.config.globals.shared ?? []));
    const ready = Promise.all([...shared].map(start));
    ready.catch(() => undefined);
    await new LightRunner({ ...this.#globalConfig, maxWorkers }).runTests(
      tests.map((test) => ({ test, path: test.path, context: { config: tests[0].context.config } })),
      undefined,
      async ({ test }) => {
        await ready;
        await onStart(test);
      },
      ({ test }, result) => onResult(test, result),
      ({ test }, error) => onFailure(test, error),
    );
  }
}
