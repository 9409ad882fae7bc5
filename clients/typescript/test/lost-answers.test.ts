import type { OperationId } from '../src/index.ts';
import { operations } from '../src/operations.ts';
import { type Answer, id, order, problem, storeWith, tea } from './_server.ts';

/** What a caller sees if the answer to the first of two attempts is lost, and the second gets no answer or is refused. */
interface Seen {
  attempts: 1 | 2;
  /** The connection's own failure, or OutcomeUnknown: the change may have happened. */
  unanswered: 'failure' | 'unknown';
  /** Statuses of the second attempt which mean that the first has succeeded. */
  done?: number[];
  /** Statuses that do not tell. */
  unclear?: number[];
}

const again: Seen = { attempts: 2, unanswered: 'failure' };
const deleted: Seen = { ...again, done: [404] };
const once: Seen = { attempts: 1, unanswered: 'failure' };
const told: Seen = { attempts: 1, unanswered: 'unknown' };

/** To read, replace or delete again has the same effect. A second creation makes a second object. */
const byMethod = { get: again, put: again, delete: deleted, patch: once, post: told };

const exceptions: { readonly [Id in OperationId]?: Seen } = {
  resolveToken: again,
  // Contract 4.6: may be repeated. 3.11: so may a confirmation.
  changeOrder: again,
  cancelOrder: again,
  // Contract 4.18: its key is required.
  refundOrder: again,
  confirmEmail: again,
  endSessions: { attempts: 2, unanswered: 'unknown', done: [401] },
  deleteAccount: { attempts: 2, unanswered: 'unknown', done: [401, 404] },
  setRoles: { ...again, unclear: [403] },
  // Without the caller's own key; with it, `again` applies.
  placeOrder: { attempts: 2, unanswered: 'unknown' },
  shipOrder: { attempts: 2, unanswered: 'unknown' },
  // A second mail or session does no harm.
  logIn: once,
  requestPasswordReset: once,
  // The caller's own session may have ended.
  changePassword: told,
};

const refusals = [400, 401, 403, 404, 409, 412, 422];
const unavailable = problem(503);
const ways: Answer[] = ['gone', problem(502), unavailable, problem(504)];

/** Calls an operation and answers its requests with these. */
async function call(operation: OperationId, answers: Answer[], further: object = {}) {
  const { store, seen } = await storeWith(answers, { maxDelayMs: 1, attempts: 2 });
  const method = store.full[operation] as (input: object) => Promise<{ status: number }>;
  const input = {
    path: { id, sessionId: id, productId: id, refundId: id, shipmentId: id, keyId: id, deliveryId: id, number: 1 },
    body: {},
    ...further,
  };
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
      // Tested below: after 503, only the second half may have failed.
      if (operation === 'deleteAccount' && status === 401 && lost === unavailable) continue;
      if (done.includes(status)) expect(result).toMatchObject({ status: 204 });
      else if (unclear.includes(status)) expect(result).toMatchObject({ ...unknown, cause: { status } });
      else expect(result).toMatchObject({ name: 'StoreProblem', status });
    }
  }
});

it('a deletion of an account that gets 503 and then 401 may have ended only the sessions', async () => {
  const { result } = await call('deleteAccount', [problem(503), problem(401)]);
  expect(result).toMatchObject({ name: 'OutcomeUnknown', cause: { status: 401 } });
});

it('the outcome of a change stays unknown if its answer was lost and the repetition is refused temporarily', async () => {
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
  'does not repeat %s with a version: %j, since the repetition would find another version',
  async (operation, input) => {
    const { attempts, result } = await call(operation, ['gone', problem(412)], input);
    expect({ attempts, result }).toMatchObject({ attempts: 1, result: { name: 'OutcomeUnknown' } });
  },
);

it('rejects with the failure itself if the caller has given the key of an order, so that the caller can repeat it', async () => {
  const { store } = await storeWith(['gone', 'gone'], { maxDelayMs: 1, attempts: 2 });
  const failure = await store.placeOrder({ body: order }, { idempotencyKey: 'mine' }).catch((error) => error);
  expect(failure).toBeInstanceOf(TypeError);
});

it('a change may have happened if its answer takes too long', async () => {
  const { store } = await storeWith(['silent'], { attemptTimeoutMs: 200 });
  const failure = await store
    .register({ body: { name: 'Ada', email: 'a@example.com', password: 'b' } })
    .catch((e) => e);
  expect(failure).toMatchObject({
    message: 'The answer was lost, so it is not known whether register has happened.',
    cause: { name: 'TimeoutError', message: 'The store did not answer within 0.2 s.' },
  });
});
