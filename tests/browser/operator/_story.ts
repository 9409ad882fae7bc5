import type { Page } from 'playwright-core';
import { until } from '../../e2e/_store.ts';
import { type Credentials, logIn, order, register } from '../_customer.ts';
import { killThroughout } from '../_kills.ts';
import { addProducts, type TestShop } from '../_shop.ts';
import { someWares } from '../_wares.ts';
import { expectNothingLostOrDoubled, type Placed } from './_books.ts';
import { breakPayments, constraint, repairPayments } from './_cause.ts';
import { findLetters, openConsole, redriveAll } from './_console.ts';
import { type Stream, watchStream } from './_stream.ts';

interface Plan {
  /** Services to kill in turn, throughout. */
  killed: string[];
  /** How often payments fail. */
  rounds: number;
}

/**
 * Ends all sessions from another browser of the customer: the service must close the page's stream within a second. Tries again if
 * the replica was killed meanwhile, which proves little, and if a busy machine was late.
 */
async function expectEndOfSessions(shop: TestShop, customer: Credentials, page: Page, stream: Stream): Promise<void> {
  const logOutEverywhere = `fetch('${shop.gatewayUrl}/auth/sessions', { method: 'DELETE', credentials: 'include' })`;
  const delays: number[] = [];
  while (delays.length < 4) {
    const other = await shop.visit();
    await logIn(other, customer);
    // After repeated failures to reach the killed service, a page may wait for half a minute.
    await until('the stream is open', async () => stream.isOpen(), 90_000);
    expect(await other.evaluate(`${logOutEverywhere}.then(({ status }) => status)`)).toBe(204);
    const endedAt = performance.now();
    await until('the stream is closed', async () => !stream.isOpen());
    await page.getByText('Your session has ended. Log in again').waitFor();
    const { at, isOrderly } = stream.closing();
    if (isOrderly) delays.push(at - endedAt);
    if ((delays.at(-1) ?? Number.NaN) < 1_000) return;
    await logIn(page, customer);
  }
  throw new Error(`The stream was closed ${delays.map(Math.round).join(', ')} ms after the sessions had ended.`);
}

/**
 * Ada's order gets stuck, because its payment cannot begin. Ann and Ben see the letter in the console, fix the cause, and both
 * redrive it at once. Ada's page turns CONFIRMED without any action of hers. Bob orders meanwhile and notices nothing.
 */
export async function tellStory(shop: TestShop, { killed, rounds }: Plan): Promise<void> {
  const { store } = shop;
  const { ids } = await addProducts(shop, someWares);
  const placed: Placed[] = [];
  async function place(page: Page, name: string): Promise<string> {
    const id = await order(page, name);
    const { price = 0 } = someWares.find((ware) => ware.name === name) ?? {};
    placed.push({ id, productId: ids.get(name) ?? '', price });
    return id;
  }
  const confirmed = (page: Page) => page.getByRole('listitem').filter({ hasText: /^Confirmed/ });

  const [ada, bob] = [await shop.visit(), await shop.visit()];
  const stream = watchStream(ada);
  const customer = await register(ada, 'Ada');
  await register(bob, 'Bob');
  const kills = killThroughout(store, killed);
  try {
    const operators = [await openConsole(shop, 'Ann'), await openConsole(shop, 'Ben')];
    for (let round = 0; round < rounds; round += 1) {
      await breakPayments(store);
      const id = await place(ada, 'Linen towel');
      await ada.evaluate('globalThis.isNotReloaded = true');
      await place(bob, 'Sea salt');
      await confirmed(bob).waitFor({ timeout: 90_000 });
      for (const page of operators) {
        const letters = await findLetters(page, id);
        expect(await letters.allTextContents()).toEqual([expect.stringContaining(constraint)]);
      }
      expect(await confirmed(ada).count()).toBe(0);

      await repairPayments(store);
      await Promise.all(operators.map(redriveAll));
      await confirmed(ada).waitFor({ timeout: 90_000 });
      expect(await ada.evaluate('globalThis.isNotReloaded')).toBe(true);
    }
    await expectEndOfSessions(shop, customer, ada, stream);
    // A fast machine is through before every group was killed.
    await until('every group was killed', async () => kills.count() >= killed.length, 90_000);
  } finally {
    await kills.stop();
  }

  await logIn(ada, customer);
  await ada.getByRole('link', { name: 'Orders', exact: true }).click();
  await ada.getByText('1 product').first().waitFor();
  const listed = await ada.getByRole('link', { name: /^Order / }).allTextContents();
  expect(listed).toEqual(Array(rounds).fill(expect.stringMatching(/(Confirmed|Shipped)\$18\.00$/)));
  await expectNothingLostOrDoubled(store, placed, rounds);
}
