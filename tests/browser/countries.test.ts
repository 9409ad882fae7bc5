import { countries, countryName } from '../../examples/shop/src/shop/countries.ts';
import { addressIn } from '../../services/shared/src/contracts/address.ts';

it('the shop offers exactly the countries that the store accepts, each with a name', () => {
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const address = { name: 'Ada', lines: ['12 Rua Augusta'], city: 'Lisbon' };
  const isTaken = (country: string) => addressIn.safeParse({ ...address, country }).success;
  const taken = letters.flatMap((first) => letters.map((second) => first + second)).filter(isTaken);
  expect([...countries].sort()).toEqual(taken);
  expect(countries.filter((code) => countryName(code) === code)).toEqual([]);
});
