import { auditRoute } from '@store/shared/service/audit';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { type Contract, describeContract } from '../../../tests/kit/openapi/contract.ts';
import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { productRoutes } from '../src/routes.ts';
import { accountId, tea, testApp, unknown } from './_app.ts';

const database = useDatabase('product');
const product = database.open(testApp);
const env = { PRODUCT_WRITERS: '11111111-1111-4111-8111-111111111111', INTERNAL_CREDENTIALS: newCredential() };
const restricted = database.open((url) => testApp(url, { env }));
const unavailable = database.open(() => testApp(unreachableDatabaseUrl));

async function existing(call: object = {}) {
  const { headers } = await product.post(tea);
  return { path: headers.location, ...call };
}

const asOperator = async (call: object = {}) => {
  const { path } = await existing();
  return { path: `/internal${path}`, body: tea, ...call };
};

const contract: Contract = {
  // Used only for the documents; requests go to the application.
  routes: [...productRoutes({} as never), auditRoute({} as never)],
  app: () => product.app,
  unavailableApp: () => unavailable.app,
  accountId,
  calls: {
    'get /products': { 200: { path: '/products?size=2' }, 400: { path: '/products?size=0' } },
    'get /products/categories': { 200: {}, 400: { path: '/products/categories?%ff' } },
    'get /products/{id}': { 200: () => existing(), 400: { path: '/products/%ff' }, 404: { path: unknown } },
    'post /products': {
      201: { body: tea },
      400: { body: { ...tea, price: -1 } },
      403: { body: tea, app: () => restricted.app },
    },
    'put /products/{id}': {
      200: () => existing({ body: { ...tea, price: 5 } }),
      400: { path: unknown, body: '{' },
      403: () => existing({ body: tea, app: () => restricted.app }),
      404: { path: unknown, body: tea },
      409: () => existing({ body: { ...tea, version: 7 } }),
    },
    'put /internal/products/{id}': {
      200: () => asOperator(),
      400: () => asOperator({ body: '{' }),
      403: () => asOperator({ app: () => restricted.app }),
      404: { path: `/internal${unknown}`, body: tea },
      409: () => asOperator({ body: { ...tea, version: 7 } }),
    },
    'post /internal/products': {
      201: { body: tea },
      400: { body: { ...tea, price: -1 } },
      403: { body: tea, app: () => restricted.app },
    },
    'delete /internal/products/{id}': {
      204: () => asOperator({ body: undefined }),
      400: { path: '/internal/products/%ff' },
      403: () => asOperator({ body: undefined, app: () => restricted.app }),
      404: { path: `/internal${unknown}` },
    },
    'get /internal/audit': {
      200: { path: '/internal/audit?size=1' },
      400: { path: '/internal/audit?size=0' },
      403: { app: () => restricted.app },
    },
    'delete /products/{id}': {
      204: () => existing(),
      400: { path: '/products/%ff' },
      403: () => existing({ app: () => restricted.app }),
      404: { path: unknown },
    },
  },
};
describeContract(contract);

const whole = {
  ...tea,
  description: 'First harvest.',
  images: [{ url: 'https://images.example.com/tea.jpg', alt: 'A cup of tea' }],
  category: 'Drinks',
  taxPermille: 230,
};

describeFuzz({
  ...contract,
  valid: {
    'post /products': { body: whole },
    'put /products/{id}': () => existing({ body: { ...whole, version: 1 } }),
    'put /internal/products/{id}': () => asOperator({ body: { ...whole, version: 1 } }),
    'post /internal/products': { body: whole },
  },
  readState: () => product.prisma.product.findMany({ orderBy: { id: 'asc' } }),
});
