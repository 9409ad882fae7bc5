import { type Answer, describePages, logIn, Reply, useConsole } from './_console.ts';

const tea = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
const entry = { kind: 'product', subject: tea };

/** A trail as services have it, of a change in each of the last minutes that `minutes` names. */
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
    const rest = all.filter(({ id }) => id < after && (query.get('subject') ?? tea) === tea);
    return new Reply(200, `[${rest.slice(0, Number(query.get('size'))).map(({ json }) => json)}]`);
  };
}

const minutes = Array.from({ length: 130 }, (_, minute) => minute);
const console = useConsole(() => ({
  product: trailOf(
    'operator ann',
    minutes.filter((minute) => minute % 3 !== 0),
  ),
  auth: trailOf(
    'operator ben',
    minutes.filter((minute) => minute % 3 === 0),
  ),
  payment: 'http://127.0.0.1:1',
}));

describe('the audit trail', () => {
  it('is that of all services by time, in pages that have each change once, and names what is missing', async () => {
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

  it('says what has changed to the digit, of one thing alone', async () => {
    const { body } = await console.read(`/api/audit?subject=${tea}`).expect(200);
    expect(body.changes[0]).toMatchObject({
      ...entry,
      actor: 'operator ben',
      fields: [{ name: 'price', before: '0.5', after: '123456789012.1234' }],
    });
    const others = await console.read(`/api/audit?subject=${tea.replace('7', '8')}`).expect(200);
    expect(others.body).toMatchObject({ changes: [], next: null });
    for (const refused of ['after=x', 'after=product:', 'subject=tea'])
      await console.read(`/api/audit?${refused}`).expect(400);
  });
});

describePages('the page of the audit trail', (open) => {
  it('leads to older changes and back', async () => {
    const page = await logIn(await open(), console, '#/audit');
    const first = page.getByRole('row').nth(1);
    await first.getByText('operator ben').waitFor();
    expect(await first.locator('ins').textContent()).toBe('123456789012.1234');
    await page.getByRole('button', { name: 'Older' }).click();
    await first.getByText('11:10:00 UTC').waitFor();
    await page.getByRole('button', { name: 'Latest' }).click();
    await first.getByText('12:00:00 UTC').waitFor();
    await page.getByLabel(/^Id of a product/).fill(tea.replace('7', '8'));
    await page.getByText('Nothing was changed.').waitFor();
  });
});
