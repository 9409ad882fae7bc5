import type { Page } from 'playwright-core';
import { orderStatuses } from '../../../services/shared/src/contracts/order.ts';
import { order, show, visitAsCustomer } from '../_customer.ts';
import { sharedShop } from '../_shop.ts';

const shop = await sharedShop();

interface Expected {
  status: string;
  /** The last step. */
  step: string;
  mayCancel: boolean;
}

/** What the shop shows for each status before shipment. */
const expected: Record<(typeof orderStatuses)[number], Expected> = {
  PENDING: { status: 'Pending', step: 'Shipped', mayCancel: true },
  CONFIRMED: { status: 'Confirmed', step: 'Getting ready to ship', mayCancel: true },
  CANCELLED: { status: 'Cancelled', step: 'Cancelled', mayCancel: false },
};
const later: Expected = { status: 'ON_HOLD', step: 'ON_HOLD', mayCancel: false };

describe('an order in the shop', () => {
  let page: Page;
  let id: string;

  beforeAll(async () => {
    page = await visitAsCustomer(shop);
    id = await order(page, 'Green tea');
  });
  afterAll(() => page?.context().close());

  it.each([...orderStatuses.map((status) => [status, expected[status]] as const), ['ON_HOLD', later] as const])(
    'is shown with its status, even one from a later release: %s',
    async (status, { status: word, step, mayCancel }) => {
      const changed = ({ paidAt: _, ...one }: Record<string, unknown>) =>
        one.id === id ? { ...one, status, updatedAt: '2999-01-01T00:00:00.000Z' } : one;
      await page.route(/\/orders(\?|\/[\w-]{36}$|$)/, async (route) => {
        const response = await route.fetch();
        const json = await response.json();
        await route.fulfill({
          response,
          json: json.content ? { ...json, content: json.content.map(changed) } : changed(json),
        });
      });
      await page.route('**/orders/*/cancellation', (route) =>
        route.fulfill({ json: { orderId: id, cancelledAt: '2026-01-31T09:31:00.000Z', reason: 'out of stock' } }),
      );
      await show(page, 'orders');
      await page.locator('.order-link .status', { hasText: word }).waitFor();
      await show(page, `orders/${id}`);
      await page.locator('.page-head .status', { hasText: word }).waitFor();
      expect(await page.locator('.steps strong').last().textContent()).toBe(step);
      expect(await page.getByRole('button', { name: 'Cancel the order' }).isVisible()).toBe(mayCancel);
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await show(page, '');
    },
  );
});
