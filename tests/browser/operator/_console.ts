import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContextOptions, Locator, Page } from 'playwright-core';
import { until } from '../../e2e/_store.ts';
import type { TestShop } from '../_shop.ts';

/** Opens the console in a new browser context and logs in; tries again if the console is killed meanwhile. */
export async function openConsole(shop: TestShop, name: string, options?: BrowserContextOptions): Promise<Page> {
  const token = (await readFile(join(shop.store.dir, 'data/console-token'), 'utf8')).trim();
  const page = await shop.newPage(options);
  page.setDefaultTimeout(10_000);
  const logIn = async () => {
    await page.context().clearCookies();
    await page.goto(shop.store.url('console'));
    await page.getByLabel('Your name').fill(name);
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Use the token' }).click();
    await page.getByRole('link', { name: 'Dead letters', exact: true }).waitFor();
    return true;
  };
  await until(`${name} is logged in`, logIn, 90_000);
  return page;
}

/** The dead letters that contain the text, once there is one. */
export async function findLetters(page: Page, text: string): Promise<Locator> {
  await page.getByRole('link', { name: 'Dead letters', exact: true }).click();
  await page.getByLabel('Filter').fill(text);
  const letters = page.getByRole('listitem', { name: /^Dead letter / });
  await letters.first().waitFor({ timeout: 120_000 });
  return letters;
}

/** Redrives the shown letters until none is left; tries again if their service is killed meanwhile. */
export async function redriveAll(page: Page): Promise<void> {
  const none = page.getByText('There are no dead letters here.');
  const all = page.getByRole('checkbox', { name: /^Select all / });
  const redrive = async () => {
    await none.or(all).first().waitFor();
    if (await none.isVisible()) return true;
    const question = page.getByRole('dialog');
    // It is open already if a click was counted as too late.
    if (!(await question.isVisible())) {
      await all.check();
      // Disabled while the last answer is outstanding, and after another operator has redriven the letters.
      await page.getByRole('button', { name: /^Redrive \d+ letter/ }).click({ timeout: 2_000 });
    }
    await question.getByRole('button', { name: 'Redrive' }).click();
    return false;
  };
  await until('no dead letter is left', redrive, 120_000);
}
