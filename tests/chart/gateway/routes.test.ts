import { renderChart, renderObjects } from '../../../tools/chart/render.ts';
import { topology } from '../../../tools/topology/topology.ts';

const withRoutes = (routes: object) => renderChart([], { global: { routes } });
const withOpenList = (...open: unknown[]) => renderChart([], { gateway: { open } });

describe('a prefix that the chart refuses', () => {
  it.each([
    ['orders', /global.routes: "orders" is no prefix: expected is \/ and a segment/],
    ['', /global.routes: "" is no prefix/],
    ['/', /global.routes: "\/" is no prefix/],
    ['/x/', /"\/x\/" is no prefix: .*without a trailing slash/],
    ['//x', /"\/\/x" is no prefix/],
    ['/x/**', /"\/x\/\*\*" is no prefix/],
    ['/x?y', /"\/x\?y" is no prefix/],
    ['/x y', /"\/x y" is no prefix/],
    ['/x%2fy', /"\/x%2fy" is no prefix/],
    ['/x/../y', /contains the segment \. or \.\./],
    ['/.', /contains the segment \. or \.\./],
    ['/external', /\/external belongs to the gateway itself, like \/: choose another/],
    ['/external/x', /\/external\/x belongs to the gateway itself/],
    ['/health-check', /\/health-check belongs to the gateway itself/],
  ])('%s', async (prefix, message) => {
    await expect(withRoutes({ [prefix]: 'order' })).rejects.toThrow(message);
  });

  it.each(['oder', 'gateway', 'postgres', 'Order'])('one that leads to %s, which is no service', async (service) => {
    const message = `leads from /x to ${service}, which is no service of the store: check the name`;
    await expect(withRoutes({ '/x': service })).rejects.toThrow(message);
  });

  it('one that leads to the console', async () => {
    await expect(withRoutes({ '/console': 'console' })).rejects.toThrow(
      /leads from \/console to the console, which is for/,
    );
  });

  it('a prefix set to null, which Helm would ignore in the subcharts', async () => {
    await expect(withRoutes({ '/orders': null })).rejects.toThrow(/To remove a prefix, set it to ""/);
  });
});

describe('an entry of the open list that the chart refuses', () => {
  it.each([
    ['post /auth/login', /"post" is none of the methods GET, .* and ANY, which are written in capitals/],
    ['Post /auth/login', /"Post" is none of the methods/],
    ['any /auth/login', /"any" is none of the methods/],
    ['FETCH /auth/login', /"FETCH" is none of the methods/],
    ['CONNECT /auth/login', /"CONNECT" is none of the methods/],
    ['* /auth/login', /"\*" is none of the methods/],
    ['/auth/login', /exactly one space is expected, between method and path/],
    ['POST', /exactly one space/],
    ['', /exactly one space/],
    ['POST  /auth/login', /exactly one space/],
    ['POST /auth/login ', /exactly one space/],
    [' POST /auth/login', /exactly one space/],
    ['POST\t/auth/login', /exactly one space/],
    ['POST /auth/log in', /exactly one space/],
    ['POST,GET /auth/login', /is none of the methods/],
    ['POST auth/login', /the path has to start with \//],
    ['POST **', /the path has to start with \//],
    ['POST http://store/auth/login', /the path has to start with \//],
    ['POST /auth/login?x=y', /a path has no query/],
    ['POST /auth/login#x', /a path has no query/],
    ['POST /auth/*', /\* is only possible at the end of a prefix, as \/\*\*/],
    ['POST /auth/**/login', /\* is only possible at the end/],
    ['POST /auth/log**', /\* is only possible at the end/],
    ['POST /auth/*/**', /\* is only possible at the end/],
    ['POST /auth/login/', /must not end in \//],
    ['POST /auth//**', /must not end in \//],
    ['POST /auth//login', /empty segments, \. and \.\. never match/],
    ['POST /auth/./login', /empty segments/],
    ['POST /orders/../auth/login', /empty segments/],
    ['POST /auth/../**', /empty segments/],
    ['POST /auth/log%69n', /not percent-encoded/],
    ['POST /auth/{id}', /a path consists of letters/],
    ['POST /auth\\login', /a path consists of letters/],
    ['GET /', /the gateway answers \/ and \/health-check itself/],
    ['GET /health-check', /the gateway answers \/ and \/health-check itself/],
    ['GET /nothing', /no route leads there\. Expected is a path under a prefix of global\.routes/],
    ['GET /authx', /no route leads there/],
    ['GET /AUTH/login', /no route leads there/],
    ['ANY /nothing/**', /no route leads there/],
    ['GET /api', /no route leads there/],
    ['GET /externalx/**', /no route leads there/],
  ])('%j', async (entry, message) => {
    const rendering = withOpenList('GET /auth/logout', entry);
    await expect(rendering).rejects.toThrow(message);
    await expect(rendering).rejects.toThrow(`gateway.open: ${JSON.stringify(entry)}`);
    await expect(rendering).rejects.toThrow(/Expected is/);
  });

  it('an entry that is listed twice', async () => {
    const message = /gateway.open: "GET \/auth\/logout" is refused: it is listed twice/;
    await expect(withOpenList('GET /auth/logout', 'POST /auth/login', 'GET /auth/logout')).rejects.toThrow(message);
  });

  it.each([[7], [{ 'POST /auth/login': true }], [null]])('%j, which is not a string', async (entry) => {
    await expect(withOpenList(entry)).rejects.toThrow(/gateway[\s\S]*\/open\/0/);
  });

  it('an entry whose route was removed', async () => {
    await expect(withRoutes({ '/auth': '' })).rejects.toThrow(
      /"POST \/auth\/register" is refused: no route leads there/,
    );
  });
});

describe('a routed service', () => {
  it('is called, by policy too, at the addresses of its replicas', async () => {
    const routes = { '/stock': 'inventory', '/api/v1/status': '' };
    const all = await renderObjects({ global: { routes } });
    const named = (wanted: string, name: string) =>
      all.find(({ kind, metadata }) => kind === wanted && metadata.name === name);
    const routed = Object.values(topology.routes).map(({ alias }) => alias);
    const services = [...new Set([...routed.filter((alias) => alias !== 'status'), 'inventory'])].sort();

    const headless = all.filter(
      ({ kind, spec }) => kind === 'Service' && spec.clusterIP === 'None' && !spec.publishNotReadyAddresses,
    );
    expect(headless.map(({ metadata }) => metadata.name)).toEqual(services.map((name) => `${name}-pods`));
    const labels = Object.keys(named('Deployment', 'gateway').spec.template.metadata.labels);
    expect(labels.filter((label) => label.startsWith('calls/'))).toEqual(services.map((name) => `calls/${name}`));
    const { egress } = named('NetworkPolicy', 'gateway').spec;
    // biome-ignore lint/suspicious/noExplicitAny: as above
    const peers = egress.flatMap(({ to }: any) => to[0].podSelector?.matchLabels['app.kubernetes.io/name'] ?? []);
    expect(peers).toEqual(services);
    expect(named('ConfigMap', 'gateway').data['envoy.yaml']).toContain('{address: "inventory-pods", port_value: 8080}');
  });

  it('auth is called even if no prefix leads to it', async () => {
    const all = await renderObjects({ global: { routes: { '/auth': '' } }, gateway: { open: [] } });
    expect(all.some(({ kind, metadata }) => kind === 'Service' && metadata.name === 'auth-pods')).toBe(true);
  });
});
