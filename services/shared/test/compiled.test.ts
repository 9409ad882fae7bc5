import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { freePort } from '../../../tools/free-port.ts';

// Other tests run the sources, with a loader that finds names in CommonJS modules which Node does not find.

it('compiled code answers that dead letters are unavailable without a broker', async () => {
  const program = `
    import { deadLetterRoutes } from '@store/shared/service/dead-letter-routes';
    const config = { KAFKA_BROKERS: ['127.0.0.1:${await freePort()}'] };
    const [list] = deadLetterRoutes({ group: { name: 'tea-group', kinds: [] }, config }, undefined);
    const { name, kind } = await list.handler({ query: {} }).catch((error) => error);
    console.log(JSON.stringify({ name, kind }));
    process.exit();`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { NODE_OPTIONS: '' },
  });
  expect(JSON.parse(stdout)).toEqual({ name: 'DomainError', kind: 'unavailable' });
});
