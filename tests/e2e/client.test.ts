import { execa } from 'execa';
import { root } from '../../tools/paths.ts';
import { documentAt } from '../docs/_documents.ts';
import { startTestStore, type TestStore } from './_store.ts';

let store: TestStore;

beforeAll(async () => {
  store = await startTestStore({ components: ['gateway', 'auth', 'account', 'product', 'order'] });
}, 120_000);

afterAll(() => store?.stop(), 60_000);

test('the example in the README of the client runs as printed', async () => {
  const [, example = ''] = /```js\n([\s\S]+?)```/.exec(documentAt('clients/typescript/README.md').text) ?? [];
  const script = example.replace('http://localhost:8080', store.gatewayUrl);
  const { stdout } = await execa('node', ['--input-type=module', '--eval', script], {
    cwd: root,
    env: { NODE_OPTIONS: '' },
  });
  expect(stdout).toBe("PENDING { amount: 8.5, currency: 'USD' }");
});
