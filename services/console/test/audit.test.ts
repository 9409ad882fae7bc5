import { everybody } from '@store/shared/values/everybody';
import { ada, anAccount } from './_accounts.ts';
import { type Answer, describePages, logIn, Reply, useConsole } from './_console.ts';

const tea = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const entry = { kind: 'product', subject: tea };

/** A service's trail, with a change in each of these `minutes`. */
function trailOf(actor: string, minutes: number[]): Answer {
  const all = minutes.map((minute) => {
    const at = new Date(Date.UTC(2026, 4, 4, 12) - minute * 60_000).toISOString();
    const [before, after] = [`{"price":${minute}.5,"unit":"kg"}`, '{"price":123456789012.1234,"unit":"kg"}'];
    const json = JSON.stringify({ id: String(1_000 - minute), at, actor, ...entry });
    return { id: 1_000 - minute, json: `${json.slice(0, -1)},"before":${before},"after":${after}}` };
  });
  return (_, path) => {
    const query = new URL(path, 'http://localhost').searchParams;
    const after = Number(query.get('after') ?? Number.POSITIVE_INFINITY);
    const isMeant = tea.replaceAll('-', '').startsWith(query.get('subject') ?? '');
    const byThem = query.getAll('actor');
    const rest = all.filter(({ id }) => id < after && isMeant && (byThem.length === 0 || byThem.includes(actor)));
    return new Reply(200, `[${rest.slice(0, Number(query.get('size'))).map(({ json }) => json)}]`);
  };
}

const minutes = Array.from({ length: 130 }, (_, minute) => minute);
const console = useConsole(() => ({
  product: trailOf(
    `operator ${ada.id}`,
    minutes.filter((minute) => minute % 3 !== 0),
  ),
  auth: trailOf(
    'operator ben',
    minutes.filter((minute) => minute % 3 === 0),
  ),
  payment: 'http://127.0.0.1:1',
  account: (method, path, ...rest) =>
    path.startsWith('/internal/audit') ? [] : anAccount().account(method, path, ...rest),
}));

describe('the audit trail', () => {
  it('merges all services by time, in pages that contain each change once, and names what is missing', async () => {
    const times: string[] = [];
    for (let next: string | null = ''; next !== null; ) {
      const query: string = next === '' ? '' : `?after=${next}`;
      const { body } = await console.read(`/api/audit${query}`).expect(200);
      times.push(...body.changes.map(({ at }: { at: string }) => at));
      expect(body.problems).toContainEqual(expect.stringContaining('The payment service is not available'));
      next = body.next;
    }
    expect(times).toHaveLength(minutes.length);
    expect(times).toEqual([...new Set(times)].sort().reverse());
  });

  it('shows changes with every digit, and of a single record', async () => {
    const { body } = await console.read(`/api/audit?subject=${tea}`).expect(200);
    expect(body.changes[0]).toMatchObject({
      ...entry,
      actor: 'operator ben',
      fields: [{ name: 'price', before: '0.5', after: '123456789012.1234' }],
    });
    const others = await console.read(`/api/audit?subject=${tea.replace('7', '8')}`).expect(200);
    expect(others.body).toMatchObject({ changes: [], next: null });
    for (const refused of ['after=x', 'after=product:', 'subject=tea', 'person=', 'from=yesterday'])
      await console.read(`/api/audit?${refused}`).expect(400);
  });
});

describe('a person in the audit trail', () => {
  const changesBy = async (person: string) => {
    const { body } = await console.read(`/api/audit?person=${encodeURIComponent(person)}`).expect(200);
    return new Set(body.changes.map(({ actor, name }: { actor: string; name: string }) => `${actor} ${name}`));
  };

  it('is found by name, address, id or typed name, and is shown by name', async () => {
    for (const person of ['ADA', ada.email, ada.id])
      expect(await changesBy(person)).toEqual(new Set([`operator ${ada.id} Ada`]));
    expect(await changesBy('ben')).toEqual(new Set(['operator ben null']));
    expect(await changesBy('nobody')).toEqual(new Set());
  });

  it('is requested from each service with the time and the beginning of an id', async () => {
    console.asked.length = 0;
    const time = 'from=2026-05-04T12:00:00Z&to=2026-05-05T00:00:00Z';
    await console.read(`/api/audit?person=ben&${time}&subject=${tea.slice(0, 8)}`).expect(200);
    const { searchParams } = new URL(console.asked.find(({ path }) => path.includes('audit'))?.path ?? '', 'http://a');
    expect(searchParams.getAll('actor')).toEqual(['operator ben', 'operator ben (shared token)']);
    expect(Object.fromEntries(searchParams)).toMatchObject({
      from: '2026-05-04T12:00:00.000000Z',
      to: '2026-05-05T00:00:00.000000Z',
      subject: tea.slice(0, 8),
    });
  });
});

describePages('the page of the audit trail', (open) => {
  it('links to older changes and back', async () => {
    const page = await logIn(await open(), console, '#/audit');
    const first = page.getByRole('row').nth(1);
    await first.getByText('operator ben').waitFor();
    expect(await first.locator('ins').textContent()).toBe('123456789012.1234');
    await page.getByRole('link', { name: 'Next page' }).click();
    await first.getByText('11:10:00 UTC').waitFor();
    await page.getByRole('link', { name: 'First page' }).click();
    await first.getByText('12:00:00 UTC').waitFor();
    await page.getByRole('link', { name: 'Ada' }).first().waitFor();
    await page.getByLabel(/^Who/).fill('ben');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Ada' }).first().waitFor({ state: 'detached' });
    await page.getByLabel(/^What/).fill(tea.slice(0, 8).replace('7', '8'));
    await page.getByLabel('From (UTC)').fill('2026-05-04T12:00');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.getByRole('region', { name: 'Changes' }).waitFor({ state: 'detached' });
    await page.getByText('The payment service is not available').waitFor();
    // The payment service may have changes.
    expect(await page.getByText('Nothing was changed.').count()).toBe(0);
    const { path = '' } = console.asked.findLast(({ path }) => path.includes('from=')) ?? {};
    expect(new URL(path, 'http://a').searchParams.get('from')).toBe('2026-05-04T12:00:00.000000Z');
    await page.reload();
    await page.getByText('The payment service is not available').waitFor();
    expect(await page.getByLabel(/^Who/).inputValue()).toBe('ben');
    expect(await page.getByLabel('From (UTC)').inputValue()).toBe('2026-05-04T12:00');
    await page.goBack();
    await page.getByRole('region', { name: 'Changes' }).waitFor();
    expect(await page.getByLabel('From (UTC)').inputValue()).toBe('');
  });
});

describePages('an entry about a look at the orders of all customers', (open) => {
  const look = { id: '1', at: '2026-05-04T12:00:00.000Z', actor: 'operator ben', kind: 'look', subject: everybody };
  const console = useConsole(() => ({ order: () => [{ ...look, before: null, after: { at: 'orders' } }] }));

  it('says that it was about all customers', async () => {
    const page = await logIn(await open(), console, '#/audit');
    await page.getByRole('row', { name: /operator ben.*look.*all customers.*at: orders/ }).waitFor();
  });
});
