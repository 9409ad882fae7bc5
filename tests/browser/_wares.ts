export interface Wares {
  name: string;
  price: number;
  unit: string;
  category?: string;
  description?: string;
  images?: { url: string; alt: string }[];
}

const goods: [name: string, price: number, unit: string][] = [
  ['Green tea', 4.95, 'box of 20'],
  ['Oat biscuits', 2.3, 'packet'],
  ['Coffee beans', 14.5, '500 g'],
  ['Olive oil', 11.9, '0.75 l'],
  ['Beeswax candle', 7.25, 'piece'],
  ['Sourdough bread', 5.4, 'loaf'],
  ['Wildflower honey', 8.8, 'jar'],
  ['Black rice', 3.6, '500 g'],
  ['Lavender soap', 4.2, 'bar'],
  ['Linen towel', 18, 'piece'],
  ['Plum jam', 5.15, 'jar'],
  ['Sea salt', 3.05, '250 g'],
];

/** Products of a shop, for pictures and tests. */
export const someWares: Wares[] = goods.map(([name, price, unit]) => ({ name, price, unit }));
