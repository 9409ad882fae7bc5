import { minorUnits } from './minor-units.ts';

/** Returns the number of decimals to which the store rounds a total: 2 for USD, 0 for JPY. Intl differs for some currencies. */
export const minorUnit = (currency: string): number => minorUnits[currency] ?? 2;
