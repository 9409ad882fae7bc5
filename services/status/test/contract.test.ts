import request from 'supertest';
import { parse } from 'yaml';
import { type Contract, describeContract } from '../../../tests/kit/openapi/contract.ts';
import { describeFuzz } from '../../../tests/kit/openapi/fuzz.ts';
import { unreachableDatabaseUrl, useDatabase } from '../../../tests/kit/postgres/database.ts';
import { statusRoutes } from '../src/routes.ts';
import { testApp } from './_app.ts';

const database = useDatabase('status');
const status = database.open(testApp);
const unavailable = database.open(() => testApp(unreachableDatabaseUrl));
const production = database.open(() => testApp(unreachableDatabaseUrl, { APP_PROFILE: 'prod' }));

beforeAll(async () => {
  await status.add(
    { time: '2026-01-01T00:00:00Z' },
    { time: '2026-01-01T00:00:00.000001Z', station: 2, bikes: 1, docks: 2, category1: 'a', category2: 'b' },
    { time: '2026-01-01T00:00:01Z' },
  );
});

const calls = (path: string) => ({ 200: { path: `${path}?skip=1&limit=1` }, 400: { path: `${path}?limit=0` } });

const contract: Contract = {
  // Used only for the OpenAPI document; requests go to the application.
  routes: statusRoutes({} as never),
  app: () => status.app,
  unavailableApp: () => unavailable.app,
  calls: {
    'get /api/v1/status/': calls('/api/v1/status/'),
    'get /api/v1/status': calls('/api/v1/status'),
  },
};
describeContract(contract);
describeFuzz({ ...contract, readState: () => status.prisma.stationStatus.count() });

// All services share the code of these endpoints, which need no database (contract 8).
describe('the documentation', () => {
  it('/apidocs-ui.html redirects to the page, which loads its scripts and styles and shows this API', async () => {
    const page = await request(unavailable.app).get('/apidocs-ui.html').redirects(1).expect('Content-Type', /html/);
    const files = [...page.text.matchAll(/(?:src|href)="\.\/([\w.-]+)"/g)].map(([, file]) => file);
    expect(files).toEqual(expect.arrayContaining(['swagger-ui.css', 'swagger-ui-bundle.js', 'swagger-ui-init.js']));
    for (const file of files) await request(unavailable.app).get(`/apidocs-ui/${file}`).expect(200);
    const { text } = await request(unavailable.app).get('/apidocs-ui/swagger-ui-init.js').buffer(true);
    expect(text).toContain('/api/v1/status/');
    expect(text).not.toContain('petstore');
  });

  it('/v3/api-docs returns the OpenAPI document with all sections, bounds of parameters, and a target for every $ref', async () => {
    const { body, text } = await request(unavailable.app).get('/v3/api-docs').expect('Content-Type', /json/);
    expect(body).toMatchObject({
      openapi: expect.stringMatching(/^3\.1\./),
      info: { title: 'Status API', version: expect.stringMatching(/^\d+\.\d+\.\d+$/) },
      servers: [{ url: '/' }],
      components: {
        schemas: { StationStatus: { type: 'object' }, Problem: { type: 'object' } },
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
          'id-account': { type: 'apiKey', in: 'header', name: 'id-account' },
        },
      },
    });
    expect(Object.keys(body.paths)).toEqual(['/api/v1/status/']);
    const limit = { type: 'integer', minimum: 1, maximum: 1000, default: 100 };
    const query = { in: 'query', required: false };
    expect(body.paths['/api/v1/status/'].get.parameters).toMatchObject([
      { ...query, name: 'limit', schema: limit },
      { ...query, name: 'cursor', schema: { type: 'string', format: 'date-time' } },
      { ...query, name: 'station_id', schema: { type: 'integer' } },
      { ...query, name: 'after', schema: { type: 'string' } },
      { ...query, name: 'skip', schema: { type: 'integer', minimum: 0, deprecated: true } },
    ]);
    const targets = [...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, target = '']) => target.split('/'));
    expect(targets).toHaveLength(text.split('"$ref"').length - 1);
    for (const target of targets) expect(body).toHaveProperty(target);
  });

  it('/v3/api-docs.yaml returns the same document as YAML', async () => {
    const json = await request(unavailable.app).get('/v3/api-docs');
    const yaml = await request(unavailable.app).get('/v3/api-docs.yaml').buffer(true).expect(200);
    expect(yaml.headers['content-type']).toMatch(/yaml/);
    expect(parse(yaml.text)).toEqual(json.body);
  });

  it.each([
    '/apidocs-ui.html',
    '/apidocs-ui/index.html',
    '/apidocs-ui/swagger-ui.css',
    '/v3/api-docs',
    '/v3/api-docs.yaml',
  ])('%s returns 404 in production', async (path) => {
    await request(unavailable.app)
      .get(path)
      .expect((response) => expect(response.status).toBeLessThan(400));
    await request(production.app)
      .get(path)
      .expect(404)
      .expect('Content-Type', /^application\/problem\+json/);
  });
});
