import { testLog } from '../../../tests/kit/observability/log.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { readsInTurn } from '../../../tests/kit/postgres/turns.ts';
import { testApp } from './_app.ts';

const database = useDatabase('product');
const product = database.open((url) => testApp(url, { log: testLog('product', /A dependency is unavailable/) }));

it('many searches from one client address leave a connection for another address', () =>
  readsInTurn(database.url, 'products', (address, n) =>
    product.get(`/products?q=e-a-${n}`).set('x-envoy-external-address', address),
  ));
