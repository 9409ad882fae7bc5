import { AsyncLocalStorage } from 'node:async_hooks';
import { bind } from 'jest-each';

/** How long a test or hook may take, in ms, unless it sets its own limit. */
const limitMs = Number(process.env.TEST_LIMIT_MS ?? 120_000);
// Kept, because tests may replace them.
const { setTimeout, clearTimeout } = globalThis;

/** The name of the running test or hook. */
const running = new AsyncLocalStorage();

/** A hook registered during a test would apply to the file's later tests, or to none. afterAll is allowed: it cleans up after the test. */
function refuseInside(kind) {
  const name = running.getStore();
  if (name && kind !== 'afterAll')
    throw new Error(`${kind} inside ${name}: register it beside the tests, not while one runs.`);
}

/** Adds the time limit that jest-light-runner lacks: a test that hangs fails, and the run goes on. */
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
