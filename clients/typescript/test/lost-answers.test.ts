import type { OperationId } from '../src/index.ts';
import { operations } from '../src/operations.ts';
import { type Answer, id, order, problem, storeWith, tea } from './_server.ts';

/** What a caller sees where the answer to the first of two attempts is lost, and the second one is not answered or refused. */
interface Seen {
  attempts: 1 | 2;
  /** Whether the failure is that of the way to the store, or says that the change may have happened. */
  unanswered: 'failure' | 'unknown';
  /** Statuses of the second attempt by which the first one has done it. */
  done?: number[];
  /** Those that do not tell. */
  unclear?: number[];
}

const again: Seen = { attempts: 2, unanswered: 'failure' };
const deleted: Seen = { ...again, done: [404] };
const once: Seen = { attempts: 1, unanswered: 'failure' };
const told: Seen = { attempts: 1, unanswered: 'unknown' };

/** Whoever reads, replaces or deletes again does the same. A second creation is another one. */
const byMethod = { get: again, put: again, delete: deleted, patch: once, post: told };

const exceptions: { readonly [Id in OperationId]?: Seen } = {
  resolveToken: again,
  // Contract 4.6: may be repeated. 3.11: a confirmation, too.
  changeOrder: again,
  cancelOrder: again,
  confirmEmail: again,
  endSessions: { attempts: 2, unanswered: 'unknown', done: [401] },
  deleteAccount: { attempts: 2, unanswered: 'unknown', done: [401, 404] },
  setRoles: { ...again, unclear: [403] },
  // Without a key of the caller; with one it is `again`.
  placeOrder: { attempts: 2, unanswered: 'unknown' },
  // Another mail, or another session, does no harm.
  logIn: once,
  requestPasswordReset: once,
  // Their own session may have ended.
  changePassword: told,
};

const refusals = [400, 401, 403, 404, 409, 412, 422];
const unavailable = problem(503);
const ways: Answer[] = ['gone', problem(502), unavailable, problem(504)];

/** Calls an operation whose requests get these answers. */
async function call(operation: OperationId, answers: Answer[], further: object = {}) {
  const { store, seen } = await storeWith(answers, { maxDelayMs: 1, attempts: 2 });
  const method = store.full[operation] as (input: object) => Promise<{ status: number }>;
  const input = { path: { id, sessionId: id, productId: id }, body: {}, ...further };
  const { body: _, ...withoutBody } = input;
  const result = await method(operations[operation][0] === 'get' ? withoutBody : input).catch((error) => error);
  return { attempts: seen.length, result };
}

it.each(Object.keys(operations) as OperationId[])('a lost answer of %s', async (operation) => {
  const { attempts, unanswered, done = [], unclear = [] } = exceptions[operation] ?? byMethod[operations[operation][0]];
  for (const lost of ways) {
    const seen = await call(operation, [lost, lost]);
    expect(seen.attempts).toBe(attempts);
    expect(seen.result).toBeInstanceOf(Error);
    const unknown = { name: 'OutcomeUnknown', code: 'outcome-unknown', operation, cause: expect.any(Error) };
    if (unanswered === 'unknown') expect(seen.result).toMatchObject(unknown);
    else expect(seen.result).not.toMatchObject({ name: 'OutcomeUnknown' });
    if (attempts === 1 || (lost !== 'gone' && lost !== unavailable)) continue;
    for (const status of refusals) {
      const { result } = await call(operation, [lost, problem(status)]);
      // Below: 503 may say that only the second half has failed.
      if (operation === 'deleteAccount' && status === 401 && lost === unavailable) continue;
      if (done.includes(status)) expect(result).toMatchObject({ status: 204 });
      else if (unclear.includes(status)) expect(result).toMatchObject({ ...unknown, cause: { status } });
      else expect(result).toMatchObject({ name: 'StoreProblem', status });
    }
  }
});

it('a deletion of an account that was 503, and then 401, may have ended the sessions alone', async () => {
  const { result } = await call('deleteAccount', [problem(503), problem(401)]);
  expect(result).toMatchObject({ name: 'OutcomeUnknown', cause: { status: 401 } });
});

it('a change that was lost, and then refused for the moment, stays unknown', async () => {
  const { result } = await call('deleteAccount', ['gone', problem(429)]);
  expect(result).toMatchObject({ name: 'OutcomeUnknown', cause: { status: 429 } });
  const { result: refused } = await call('deleteAccount', [problem(429), problem(429)]);
  expect(refused).toMatchObject({ name: 'StoreProblem', status: 429 });
});

it.each<[OperationId, object]>([
  ['replaceProduct', { header: { 'if-match': '"1"' }, body: tea }],
  ['replaceProduct', { body: { ...tea, version: 1 } }],
  ['deleteProduct', { header: { 'if-match': '"1"' } }],
  ['changeOrder', { body: { status: 'CANCELLED', version: 1 } }],
  ['changeAccount', { header: { 'if-match': '"1"' }, body: { name: 'Ada' } }],
])(
  '%s of a state that is named: %j, is not repeated, since the repetition would find another state',
  async (operation, input) => {
    const { attempts, result } = await call(operation, ['gone', problem(412)], input);
    expect({ attempts, result }).toMatchObject({ attempts: 1, result: { name: 'OutcomeUnknown' } });
  },
);

it('an order under a key of the caller can be sent again by the caller', async () => {
  const { store } = await storeWith(['gone', 'gone'], { maxDelayMs: 1, attempts: 2 });
  const failure = await store.placeOrder({ body: order }, { idempotencyKey: 'mine' }).catch((error) => error);
  expect(failure).toBeInstanceOf(TypeError);
});

it('a change whose answer breaks off, or takes too long, may have happened', async () => {
  const { store } = await storeWith(['silent'], { attemptTimeoutMs: 200 });
  const failure = await store
    .register({ body: { name: 'Ada', email: 'a@example.com', password: 'b' } })
    .catch((e) => e);
  expect(failure).toMatchObject({
    message: 'The answer was lost, so it is not known whether register has happened.',
    cause: { name: 'TimeoutError', message: 'The store did not answer within 0.2 s.' },
  });
});
