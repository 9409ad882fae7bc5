import { createRunner } from 'jest-light-runner';
import { keepFilesInMemory } from './memory.mjs';
import { rerunFailed } from './rerun.mjs';
import { start } from './shared.mjs';

const LightRunner = createRunner();

/**
 * Parts of the paths of files that begin first, so that none is left alone at the end: Jest itself knows only how long they took on
 * this machine before. In this order, those that compute beside those that wait.
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
 * Runs files as jest-light-runner does, but projects share threads, so that a thread loads a module once. The projects whose files
 * mostly wait have threads of their own, half as many: beside them the others keep the processors busy.
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
    // Allowed two threads it gets one of its own, allowed one it would run in that of Jest.
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

  /** Starts what these files share, and runs them. Threads belong to a config, and know the environment of their start. */
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
