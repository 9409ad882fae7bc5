import { AsyncLocalStorage } from 'node:async_hooks';
import { bind } from 'jest-each';

/** Time that a test or hook may take, in ms, unless it says another one. */
const limitMs = Number(process.env.TEST_LIMIT_MS ?? 120_000);
// Not those that a test replaces.
const { setTimeout, clearTimeout } = globalThis;

/** The name of the test or hook that runs. */
const running = new AsyncLocalStorage();

/** Registered while a test runs, they would belong to the file: to its later tests, or to none. afterAll ends what a test began. */
function refuseInside(kind) {
  const name = running.getStore();
  if (name && kind !== 'afterAll')
    throw new Error(`${kind} inside ${name}: register it beside the tests, not while one runs.`);
}

/** Adds the time limit that jest-light-runner lacks: what hangs fails, and the run goes on. */
const limited =
  (name, work, ms = limitMs) =>
  async () => {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`${name} takes longer than ${ms} ms.`)), ms);
    });
    try {
      await Promise.race([running.run(name, work), late]);
    } finally {
      clearTimeout(timer);
    }
  };

function withLimit(register) {
  const test = (name, work, ms) => {
    refuseInside('it');
    register(name, limited(`"${name}"`, work, ms));
  };
  return Object.assign(test, { each: bind(test) });
}

const { it } = globalThis;
globalThis.it = Object.assign(withLimit(it), { only: withLimit(it.only), skip: it.skip, todo: it.todo });
globalThis.test = globalThis.it;
for (const hook of ['beforeAll', 'beforeEach', 'afterAll', 'afterEach']) {
  const register = globalThis[hook];
  globalThis[hook] = (work, ms) => {
    refuseInside(hook);
    register(limited(hook, work, ms));
  };
}
