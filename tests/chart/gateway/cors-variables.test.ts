import { execa } from 'execa';
import { renderGateway } from '../../../tools/local/components/gateway.ts';
import { gatewayValues } from '../../../tools/local/components/services.ts';
import { fixedPorts } from '../../../tools/local/ports.ts';
import { root } from '../../../tools/paths.ts';

const shop = 'http://localhost:3000';
const corsOf = (env: Record<string, string>) => gatewayValues(env, fixedPorts({})).cors;

/** The CORS policy that Envoy gets. */
async function rendered(values: object) {
  const config = (await renderGateway(values))['envoy.yaml'];
  const [policy = ''] = /allow_origin_string_match:[\s\S]*?allow_credentials: \w+/.exec(config) ?? [];
  return {
    origins: [...policy.matchAll(/- exact: "(.*)"/g)].map(([, origin]) => origin),
    credentials: /allow_credentials: (\w+)/.exec(policy)?.[1],
  };
}

describe('the local run', () => {
  it.each([
    [{}, { allowedOrigins: [shop], allowedCredentials: true }],
    [{ CORS_ALLOWED_ORIGINS: '' }, { allowedOrigins: [], allowedCredentials: true }],
    [
      { CORS_ALLOWED_ORIGINS: ' http://a.test, https://b.test:8443 ,', CORS_ALLOWED_CREDENTIALS: 'false' },
      { allowedOrigins: ['http://a.test', 'https://b.test:8443'], allowedCredentials: false },
    ],
    [{ CORS_ALLOWED_CREDENTIALS: '' }, { allowedOrigins: [shop], allowedCredentials: true }],
  ])('reads the two specified variables: %j', (env, expected) => {
    expect(corsOf(env)).toEqual(expected);
  });

  it('names an origin that is none, and what it would be', () => {
    expect(() => corsOf({ CORS_ALLOWED_ORIGINS: 'http://localhost:3000, http://localhost:5555/' })).toThrow(
      'CORS_ALLOWED_ORIGINS has http://localhost:5555/, which is no origin. One looks like http://localhost:5173.',
    );
  });

  it('refuses credentials that are neither true nor false', () => {
    expect(() => corsOf({ CORS_ALLOWED_CREDENTIALS: 'yes' })).toThrow('CORS_ALLOWED_CREDENTIALS=yes is neither');
  });

  it('says its default', async () => {
    const { stdout } = await execa(process.execPath, ['tools/local/commands/run.ts', '--help'], {
      cwd: root,
    });
    expect(stdout).toMatch(/CORS_ALLOWED_ORIGINS +.*by default http:\/\/localhost:3000/);
    expect(stdout).toMatch(/CORS_ALLOWED_CREDENTIALS +.*by default true/);
  });
});

it.each([
  ['without a value, no origin is allowed', {}, [], 'true'],
  [
    "values of the same meaning are Envoy's policy",
    { allowedOrigins: ['http://a.test', shop], allowedCredentials: false },
    ['http://a.test', shop],
    'false',
  ],
])('in the chart: %s', async (_, cors, origins, credentials) => {
  expect(await rendered({ cors })).toEqual({ origins, credentials });
});
