import type { RequestListener } from 'node:http';
import { text } from 'node:stream/consumers';
import { runInTrace, traceFrom } from '@store/shared/observability/trace-context';
import { serve } from '../../../tests/kit/listen.ts';
import { createAccountClient } from '../src/account-client.ts';
import { ada } from './_app.ts';

let listener: RequestListener;
const accounts = createAccountClient({ baseUrl: await serve((req, res) => listener(req, res)) });

const account = {
  id: '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001',
  name: ada.name,
  email: ada.email,
  locale: 'pt',
  createdAt: '2026-01-01T00:00:00.000Z',
};
const respond =
  (status: number, body: unknown, headers = {}): RequestListener =>
  (_req, res) =>
    res.writeHead(status, headers).end(typeof body === 'string' ? body : JSON.stringify(body));
const problem = (status: number, rest = {}) => ({ type: 'about:blank', title: 'No', status, ...rest });

describe('the account client', () => {
  it('registers an account within the current trace', async () => {
    let seen: unknown;
    listener = async (req, res) => {
      const { method, url, headers } = req;
      seen = { method, url, headers, body: JSON.parse(await text(req)) };
      respond(201, { ...account, unknown: 'field' })(req, res);
    };
    const trace = traceFrom(undefined);
    const { traceparent } = trace;
    const registered = await runInTrace(trace, () => accounts.register(ada, '192.0.2.1'));
    expect(registered).toEqual(account);
    const headers = { 'content-type': 'application/json', 'x-envoy-external-address': '192.0.2.1', traceparent };
    expect(seen).toMatchObject({ method: 'POST', url: '/internal/accounts', headers, body: ada });
  });

  const errors = [{ path: 'body.name', message: 'must rhyme' }];
  const invalid = problem(400, { detail: 'body.name: must rhyme', errors });
  const taken = { kind: 'conflict', code: 'email-taken', message: 'No' };
  const refused = { kind: 'invalid', code: 'validation', message: 'body.name: must rhyme', errors };
  const unavailable = { kind: 'unavailable' };
  const register = () => accounts.register(ada);
  const check = () => accounts.checkPassword(ada);
  const find = () => accounts.find(account.id);
  const replace = () => accounts.setPassword(account.id, 'battery staple');
  const former = { ...account, locale: undefined };

  it.each<[string, () => Promise<unknown>, number, unknown, object | undefined]>([
    ['the account for a right password', check, 200, account, account],
    ['the account with locale en if the release has no languages', check, 200, former, { ...account, locale: 'en' }],
    ['nothing for a wrong password', check, 401, problem(401), undefined],
    ['the details of a 400 on a password', check, 400, invalid, refused],
    ['the details of a 400 on a registration', register, 400, invalid, refused],
    ['that an e-mail address is taken', register, 409, problem(409), taken],
    ['an account', find, 200, account, account],
    ['nothing for an account that does not exist', find, 404, problem(404), undefined],
    ['nothing for a replaced password', replace, 204, '', undefined],
    ['the details of a 400 on a new password', replace, 400, invalid, refused],
    ['unavailable for a new password of an account that does not exist', replace, 404, problem(404), unavailable],
  ])('returns %s', async (_, call, status, body, expected) => {
    listener = respond(status, body);
    // Spread the error, so that its message and its other properties can be matched.
    const result = await call().catch(({ message, ...error }) => ({ message, ...error }));
    if (expected === undefined) expect(result).toBeUndefined();
    else expect(result).toMatchObject(expected);
  });

  // The tests of the product client, in shared, cover connection faults and time-outs.
  it.each<[string, RequestListener, number]>([
    ['503 with Retry-After', respond(503, problem(503), { 'Retry-After': '7' }), 7],
    ['an empty body', respond(200, ''), 1],
    ['an account with an id that is not a UUID', respond(201, { ...account, id: '42' }), 1],
    ['404', respond(404, problem(404)), 1],
    ['a 401 without a problem', respond(401, '<html>'), 1],
    ['409 without a problem', respond(409, []), 1],
  ])('treats the service as unavailable on %s', async (_, faulty, retryAfterSeconds) => {
    listener = faulty;
    for (const call of [register, check])
      await expect(call()).rejects.toMatchObject({ ...unavailable, retryAfterSeconds });
  });
});
