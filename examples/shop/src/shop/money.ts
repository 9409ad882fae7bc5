/** Prices of products name no currency (contract 4.4): it is that of the store, STORE_CURRENCY. */
export const currency: string = import.meta.env.VITE_STORE_CURRENCY ?? 'USD';

/** Prices have up to four decimals, which are shown if they are there. */
export const money = (amount: number, of = currency): string =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency: of, maximumFractionDigits: 4 }).format(amount);

/** Whole numbers of ten-thousandths, so that no binary fraction is added up. */
export const sumOf = (lines: readonly { price: number; quantity: number }[]): number =>
  lines.reduce((sum, { price, quantity }) => sum + Math.round(price * 10_000) * quantity, 0) / 10_000;

/** As the store rounds the total of an order (contract 4.2), but for its half to even. */
export const total = (amount: number): string =>
  new Intl.NumberFormat(undefined, { style: 'currency', currency }).format(amount);
