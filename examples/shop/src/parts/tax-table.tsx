import type { Output } from '@store-platform/client';
import { money } from '../shop/money.ts';

interface TaxTableProps {
  taxes: NonNullable<Output<'getInvoice'>['taxes']>;
  currency: string;
}

/** What a document taxes at each rate. */
export const TaxTable = ({ taxes, currency }: TaxTableProps) => (
  <table>
    <caption>Tax included</caption>
    <thead>
      <tr>
        <th scope="col">Rate</th>
        <th scope="col">Net</th>
        <th scope="col">Tax</th>
        <th scope="col">Gross</th>
      </tr>
    </thead>
    <tbody>
      {taxes.map(({ permille, net, tax, gross }) => (
        <tr key={permille}>
          <td>{permille / 10} %</td>
          <td>{money(net, currency)}</td>
          <td>{money(tax, currency)}</td>
          <td>{money(gross, currency)}</td>
        </tr>
      ))}
    </tbody>
  </table>
);
