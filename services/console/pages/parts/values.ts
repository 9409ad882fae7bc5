/** How numbers are shown. */
export const rate = (value: number) => `${value.toFixed(value < 10 ? 1 : 0)}/s`;
export const seconds = (value: number) => (value < 1 ? `${Math.round(value * 1000)} ms` : `${value.toFixed(1)} s`);
export const count = (value: number) => new Intl.NumberFormat('en').format(value);
