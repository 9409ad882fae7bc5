import { auditRoute } from '@store/shared/service/audit';
import { newCredential } from '../../../tests/kit/credentials.ts';
import { type Call, type Contract, describeContract } from '../../../tests/kit/openapi/contract.ts';
import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { importRoutes } from '../src/imports/routes.ts';
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

const bySku = '/products?sku=TEA-1';
async function skuInUse() {
  await product.put(bySku, tea);
  return { body: { ...tea, sku: 'TEA-1' } };
}

const ended = '0b7f3f8e-52a1-4c36-9a55-8f4a1f0f6f11';
const inLines = { 'Content-Type': 'application/x-ndjson' };

/** The calls of imports and exports. @param actor who makes them */
function importCalls(base: string, actor: string): Contract['calls'] {
  const path = `${base}/products/imports`;
  const forbidden = { app: () => restricted.app };
  const alone = async (call: Call): Promise<Call> => {
    await product.prisma.productImport.deleteMany();
    return { path, body: { ...tea, sku: 'TEA-3' }, ...call, headers: { ...inLines, ...call.headers } };
  };
  const show: Contract['calls'][string] = {
    200: async () => {
      await product.prisma.productImport.upsert({
        where: { id: ended },
        create: { id: ended, actor, state: 'DONE', endedAt: new Date() },
        update: { actor },
      });
      return { path: `${path}/${ended}` };
    },
    404: { path: `${path}/00000000-0000-4000-8000-000000000000` },
  };
  if (base !== '') show[403] = { path: `${path}/${ended}`, ...forbidden };
  return {
    [`post ${path}`]: {
      202: () => alone({}),
      400: () => alone({ body: '' }),
      403: () => alone(forbidden),
      413: () => alone({ headers: { 'content-length': '67108865' } }),
      415: () => alone({ headers: { 'Content-Type': 'application/json' } }),
      429: async () => {
        const call = await alone({});
        await product.importing.open(actor);
        return call;
      },
    },
    [`get ${path}/{id}`]: show,
    [`get ${base}/products/export`]: { 200: {}, 403: forbidden },
  };
}

const contract: Contract = {
  // Used only for the documents; requests go to the application.
  routes: [...importRoutes({} as never), ...productRoutes({} as never), auditRoute({} as never)],
  app: () => product.app,
  unavailableApp: () => unavailable.app,
  accountId,
  calls: {
    ...importCalls('', `account ${accountId}`),
    ...importCalls('/internal', 'operator'),
    'get /products': { 200: { path: '/products?size=2' }, 400: { path: '/products?size=0' } },
    'get /products/categories': { 200: {}, 400: { path: '/products/categories?%ff' } },
    'get /products/{id}': { 200: () => existing(), 400: { path: '/products/%ff' }, 404: { path: unknown } },
    'post /products': {
      201: { body: tea },
      400: { body: { ...tea, price: -1 } },
      403: { body: tea, app: () => restricted.app },
      409: () => skuInUse(),
    },
    'put /products': {
      200: async () => {
        await product.put(bySku, tea);
        return { path: bySku, body: tea };
      },
      201: { path: '/products?sku=new', body: tea },
      400: { path: '/products', body: tea },
      403: { path: bySku, body: tea, app: () => restricted.app },
      409: { path: bySku, body: { ...tea, version: 7 } },
      412: { path: '/products?sku=unknown', body: tea, headers: { 'if-match': '*' } },
    },
    'put /internal/products': {
      200: async () => {
        await product.put(bySku, tea);
        return { path: `/internal${bySku}`, body: tea };
      },
      201: { path: '/internal/products?sku=new-by-operator', body: tea },
      400: { path: '/internal/products', body: tea },
      403: { path: `/internal${bySku}`, body: tea, app: () => restricted.app },
      409: { path: `/internal${bySku}`, body: { ...tea, version: 7 } },
      412: { path: '/internal/products?sku=unknown', body: tea, headers: { 'if-match': '*' } },
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
      409: () => skuInUse(),
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

let skus = 0;
/** A product with all fields. */
function whole() {
  skus += 1;
  return {
    ...tea,
    description: 'First harvest.',
    images: [{ url: 'https://images.example.com/tea.jpg', alt: 'A cup of tea' }],
    category: 'Drinks',
    taxPermille: 230,
    sku: `TEA ${skus}`,
  };
}

async function existingSku(base = '') {
  const { sku, ...body } = whole();
  await product.post({ ...body, sku });
  return { path: `${base}/products?sku=${encodeURIComponent(sku)}`, body: { ...body, version: 1 } };
}

describeFuzz({
  ...contract,
  routes: contract.routes.filter(({ lines }) => lines === undefined),
  valid: {
    'post /products': () => ({ body: whole() }),
    'put /products': () => existingSku(),
    'put /internal/products': () => existingSku('/internal'),
    'put /products/{id}': () => existing({ body: { ...whole(), version: 1 } }),
    'put /internal/products/{id}': () => asOperator({ body: { ...whole(), version: 1 } }),
    'post /internal/products': () => ({ body: whole() }),
  },
  readState: () => product.prisma.product.findMany({ orderBy: { id: 'asc' } }),
});
