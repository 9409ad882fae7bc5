import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { freePort } from '../../../tools/free-port.ts';

// Tests run the sources, by a loader that finds names of CommonJS modules which Node does not.

it('as it is compiled: without a broker dead letters are unavailable, which is no failure of the program', async () => {
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
