import { findings } from '../../kit/axe.ts';
import { sharedShop } from '../_shop.ts';

const shop = await sharedShop();

describe('accessibility of the shop', () => {
  it('is checked by axe, which finds a seeded flaw', async () => {
    const page = await shop.visit();
    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await page.evaluate(`document.querySelector('label').remove()`);
    expect(await findings(page)).toContainEqual(expect.stringMatching(/^label: /));
  });

  it('lets a customer place and cancel an order without a mouse', async () => {
    const page = await shop.visit();
    const { keyboard } = page;
    /** Presses Tab until an element of that name has the focus, and checks that the focus is visible. */
    async function tabTo(name: RegExp): Promise<void> {
      const seen: string[] = [];
      for (let pressed = 0; pressed < 60; pressed += 1) {
        await keyboard.press('Tab');
        const [label, outline] = (await page.evaluate(`(({ activeElement: a }) => [
          a.getAttribute('aria-label') ?? a.labels?.[0]?.textContent ?? a.textContent, getComputedStyle(a).outlineStyle,
        ])(document)`)) as [string, string];
        if (await page.evaluate('document.activeElement === document.body')) continue; // past the last element
        expect([label, outline]).toEqual([label, 'solid']);
        if (name.test(label)) return;
        seen.push(label);
      }
      throw new Error(`Tab does not lead to ${name}: ${seen.join(', ')}`);
    }

    await page.getByRole('heading', { name: 'Log in' }).waitFor();
    await tabTo(/^Register$/);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Register' }).waitFor();
    for (const [label, text] of [
      [/^Name$/, 'Ada'],
      [/^E-mail/, `ada-${Date.now()}@example.com`],
      [/^Password$/, 'correct horse battery'],
    ] as const) {
      await tabTo(label);
      await keyboard.type(text);
    }
    await keyboard.press('Enter');
    await page.locator('.product').first().waitFor();
    await tabTo(/Search products/);
    await keyboard.type('Sea salt');
    await page.getByText('Products with “Sea salt” in their name').waitFor();
    await tabTo(/^Add Sea salt/);
    await keyboard.press('Enter');
    await page.getByText('1 in basket').waitFor();
    await tabTo(/^Basket/);
    await keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your order' }).waitFor();
    await tabTo(/^Place the order$/);
    await keyboard.press('Enter');
    await page.getByText('Confirming').waitFor();
    await tabTo(/^Cancel the order$/);
    await keyboard.press('Enter');
    await tabTo(/^Yes, cancel it$/);
    await keyboard.press('Enter');
    await page.getByText('cancelled by the customer').waitFor();
  });
});
