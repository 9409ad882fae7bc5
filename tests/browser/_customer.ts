import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';

/** Registers in the shop; the catalogue comes next. */
export async function register(page: Page, name = 'Ada'): Promise<{ email: string; password: string }> {
  const customer = { email: `${randomUUID()}@example.com`, password: 'correct horse battery' };
  await page.getByRole('link', { name: 'Register' }).first().click();
  await page.getByLabel('Name').fill(name);
  await page.getByLabel('E-mail address').fill(customer.email);
  await page.getByLabel('Password').fill(customer.password);
  await page.getByRole('button', { name: 'Register' }).click();
  await page.getByRole('heading', { name: 'Catalogue' }).waitFor();
  return customer;
}
