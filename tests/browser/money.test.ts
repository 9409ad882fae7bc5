import { execa } from 'execa';
import { root } from '../../tools/paths.ts';
import { openBrowser } from '../kit/chromium.ts';

/** The shop's money module, built for a currency, as a script that sets `money`. */
async function scriptFor(currency: string): Promise<string> {
  const lib = { entry: 'src/shop/money.ts', formats: ['iife'], name: 'money' };
  const options = { root: `${root}/examples/shop`, logLevel: 'warn', build: { write: false, minify: false, lib } };
  // Runs outside Jest, whose modules have a different Array from that of Vite's native part.
  const build = `import { build } from 'vite'; const [{ output }] = await build(${JSON.stringify(options)});
    process.stdout.write(output[0].code);`;
  const env = { NODE_OPTIONS: '', VITE_STORE_CURRENCY: currency };
  return (await execa(process.execPath, ['--input-type=module', '--eval', build], { cwd: root, env })).stdout;
}

let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => {
  browser = await openBrowser();
});
afterAll(() => browser?.close());

it.each([
  ['HUF', 1999.5, 1999.5, 'HUF 1,999.50'],
  ['IQD', 0.0015, 0.002, 'IQD 0.002'],
  ['CLF', 1.2345, 1.2345, 'CLF 1.2345'],
  ['JPY', 2.5, 2, '¥2'],
  ['USD', 0.025, 0.02, '$0.02'],
])('a total in %s of %d is %d, as in the store and in every browser, and reads %s', async (...row) => {
  const [currency, price, total, words] = row;
  const page = await (await browser.newContext({ locale: 'en-US' })).newPage();
  await page.evaluate(`${await scriptFor(currency)}; globalThis.money = money`);
  const amount = `money.totalOf([{ price: ${price}, quantity: 1 }])`;
  expect(await page.evaluate(amount)).toEqual({ amount: total, currency });
  expect(String(await page.evaluate(`money.money(${amount}.amount)`)).replace('\u00a0', ' ')).toBe(words);
});
