import request from 'supertest';
import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { useDatabase } from '../../../tests/kit/postgres/database.ts';
import { productRoutes } from '../src/routes.ts';
import { accountId, testApp } from './_app.ts';

const product = useDatabase('product').open(testApp);

const tea = {
  name: 'Green tea',
  price: 4.5,
  unit: 'kg',
  description: 'First harvest.',
  images: [{ url: 'https://images.example.com/tea.jpg', alt: 'A cup of tea' }],
  category: 'Drinks',
};

async function existing() {
  const { headers } = await request(product.app).post('/products').set('id-account', accountId).send(tea);
  return { path: headers.location };
}

describeFuzz({
  routes: productRoutes({} as never, {} as never),
  app: () => product.app,
  accountId,
  valid: {
    'get /products/{id}': existing,
    'post /products': { body: tea },
    'put /products/{id}': async () => ({ ...(await existing()), body: { ...tea, version: 1 } }),
    'put /internal/products/{id}': async () => ({
      path: `/internal${(await existing()).path}`,
      body: { ...tea, version: 1 },
    }),
    'delete /products/{id}': existing,
  },
  readState: () => product.prisma.product.findMany({ orderBy: { id: 'asc' } }),
});
