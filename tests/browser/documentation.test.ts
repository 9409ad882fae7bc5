import { createHttpApp } from '@store/shared/http/app';
import { ok, route } from '@store/shared/http/route';
import { z } from 'zod';
import { usePages } from '../kit/chromium.ts';
import { serve } from '../kit/listen.ts';
import { testLog } from '../kit/observability/log.ts';

const accountId = '6b1f0c9e-3a52-4d0f-9f0e-0d8a55a1c001';

const whoAmI = route({
  ...({ method: 'get', path: '/me', operationId: 'whoAmI', summary: 'Say who is asking', tag: 'me' } as const),
  identity: 'account',
  responses: { 200: { description: 'You.', body: z.object({ youAre: z.string() }) } },
  handler: ({ accountId }) => ok({ youAre: accountId }),
});
const url = await serve(
  createHttpApp({ title: 'Test API', routes: [whoAmI], log: testLog('test'), config: { APP_PROFILE: 'dev' } }),
);

// All services share this page's code (contract 8).
describe('the documentation page', () => {
  const open = usePages();

  async function openOperation() {
    const page = await open();
    await page.goto(`${url}/apidocs-ui.html`);
    await page.locator('#operations-me-whoAmI .opblock-summary-control').click();
    await page.getByRole('button', { name: 'Try it out' }).click();
    return page;
  }

  const answer = '.live-responses-table .response-col_description .highlight-code';

  it('has a field for id-account on an operation with an identity, and sends its value', async () => {
    const page = await openOperation();
    await page.locator('tr[data-param-name="id-account"] input').fill(accountId);
    await page.getByRole('button', { name: 'Execute' }).click();
    expect(await page.locator(answer).first().textContent()).toContain(`"youAre": "${accountId}"`);
  });

  it('sends Authorization: Bearer with the token of the scheme', async () => {
    const page = await openOperation();
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    const bearer = page.locator('form').filter({ hasText: 'bearer (http, Bearer)' });
    await bearer.locator('#auth-bearer-value').fill('a.b.c');
    await bearer.locator('.authorize').click();
    await page.locator('.close-modal').click();
    const asked = page.waitForRequest(`${url}/me`);
    await page.getByRole('button', { name: 'Execute' }).click();
    expect((await asked).headers().authorization).toBe('Bearer a.b.c');
  });

  it('sends the id-account of the scheme if the field is empty', async () => {
    const page = await openOperation();
    await page.getByRole('button', { name: 'Authorize' }).first().click();
    await page
      .getByRole('textbox', { name: 'auth-apiKey-value' })
      .or(page.locator('#api_key_value'))
      .first()
      .fill(accountId);
    await page
      .locator('form:has(#api_key_value) button[type=submit], .auth-container:has(#api_key_value) .authorize')
      .first()
      .click();
    await page.locator('.close-modal').click();
    await page.getByRole('button', { name: 'Execute' }).click();
    expect(await page.locator(answer).first().textContent()).toContain(`"youAre": "${accountId}"`);
  });
});
