import { ada, anAccount } from './_accounts.ts';
import { type Answer, ann, useConsole } from './_console.ts';
import { aLetter, at } from './_order.ts';

const ids = ['00000000-0000-8000-8000-000000000001', '00000000-0000-8000-8000-000000000002'];
const html = '<img src=x onerror=alert(1)><script>alert(2)</script>';
const letter = { ...aLetter, id: ids[0], value: html };

/** Decides each letter once, as services do. */
function groupOf(group: string): Answer {
  const decided = new Map<string, string>();
  return (method, path, body) => {
    if (path === '/internal/dead-letters') return { group, total: 1, letters: [letter] };
    if (path === '/internal/dead-letters/audit') {
      const entry = { letterId: ids[0], eventId: null, outcome: 'REDRIVEN', reason: null, requestedBy: ada.id, at };
      return { group, entries: [entry] };
    }
    if (method !== 'POST') return undefined;
    const { ids: asked, by } = body as { ids: string[]; by: string };
    const results = asked.map((id) => {
      const before = decided.get(id);
      if (before === undefined) decided.set(id, by);
      const decision = { outcome: 'REDRIVEN', reason: null, requestedBy: before, at };
      return before === undefined ? { id, outcome: 'REDRIVEN' } : { id, outcome: 'DECIDED', decision };
    });
    return { group, results };
  };
}

const credential = 'the-credential-of-an-operator-0123456789';

describe('dead letters', () => {
  const services = () => ({
    payment: groupOf('payment-group'),
    invoice: 'http://127.0.0.1:1',
    account: anAccount().account,
  });
  const console = useConsole(services, {
    env: { INTERNAL_CREDENTIAL: credential, GROUPS: 'payment,invoice' },
    tests: 'each',
  });
  const redrive = (body: object = { ids }, cookie?: string) =>
    console.send('post', '/api/dead-letters/payment/redrive', cookie).send(body);

  it('are listed for every group that answers, and the others are named', async () => {
    const answer = await console.read('/api/dead-letters').expect(200);
    expect(answer.body).toMatchObject([
      { service: 'payment', group: 'payment-group', total: 1, letters: [{ id: ids[0], value: html }] },
      { service: 'invoice', letters: [], problem: expect.stringContaining('The invoice service is not available') },
    ]);
    // As JSON, which no browser shows as a page.
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['x-content-type-options']).toBe('nosniff');
    expect(console.asked[0]?.authorization).toBe(`Bearer ${credential}`);
  });

  it('show operators by name in their audit trail', async () => {
    const { body } = await console.read('/api/dead-letters/audit').expect(200);
    expect(body.entries).toMatchObject([{ requestedBy: 'Ada' }]);
  });

  it('are read once for many operators', async () => {
    await Promise.all(Array.from({ length: 5 }, () => console.read('/api/dead-letters').expect(200)));
    expect(console.asked).toHaveLength(1);
    await redrive().expect(200);
    await console.read('/api/dead-letters').expect(200);
    expect(console.asked.filter(({ method }) => method === 'GET')).toHaveLength(2);
  });

  it('are redriven once if two operators press at once: the second is told who did it, and both are logged', async () => {
    const ben = await console.login('ben');
    const answers = await Promise.all([redrive(), redrive({ ids }, ben), redrive()]);
    const results = answers.flatMap(({ body }) => body.results);
    expect(results.filter(({ outcome }) => outcome === 'REDRIVEN')).toHaveLength(2);
    expect(results.filter(({ outcome }) => outcome === 'DECIDED')).toHaveLength(4);
    const lines = console.logged.filter(({ msg }) => msg === 'Dead letters were decided');
    expect(lines.map(({ by }) => by).sort()).toEqual([ann, ann, 'ben (shared token)']);
    expect(lines[0]).toMatchObject({ decision: 'redrive', group: 'payment-group', outcomes: expect.any(Array) });
  });

  it("are decided under the session's name, whatever the request says", async () => {
    await redrive({ ids, by: 'somebody else' }).set('console-operator', 'eve').expect(200);
    expect(console.asked.at(-1)?.body).toEqual({ ids, by: ann, dryRun: false });
  });

  it('are discarded with a reason, and a dry run is not logged', async () => {
    const discard = (body: object) => console.send('post', '/api/dead-letters/payment/discard').send(body);
    await discard({ ids }).expect(400);
    await discard({ ids, reason: ' ' }).expect(400);
    await discard({ ids, reason: 'sent twice', dryRun: true }).expect(200);
    expect(console.asked).toMatchObject([{ body: { ids, reason: 'sent twice', dryRun: true, by: ann } }]);
    expect(console.logged.filter(({ msg }) => msg === 'Dead letters were decided')).toEqual([]);
  });

  it('have an audit trail that says what is missing', async () => {
    const { body } = await console.read('/api/dead-letters/audit').expect(200);
    expect(body).toMatchObject({
      entries: [{ group: 'payment-group', letterId: ids[0], requestedBy: 'Ada' }],
      problems: [expect.stringContaining('invoice')],
    });
  });
});
