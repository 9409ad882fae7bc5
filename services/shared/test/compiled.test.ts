import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { freePort } from '../../../tools/free-port.ts';

// Tests run the sources, by a loader that finds names of CommonJS modules which Node does not.

test('as it is compiled: without a broker dead letters are unavailable, which is no failure of the program', async () => {
  const program = `
    import { groupLetters } from '@store/shared/service/dead-letters/group-letters';
    const config = { KAFKA_BROKERS: ['127.0.0.1:${await freePort()}'] };
    const letters = groupLetters({ group: { name: 'tea-group', handlers: {} }, config }, undefined);
    const { name, kind } = await letters.list().catch((error) => error);
    console.log(JSON.stringify({ name, kind }));
    process.exit();`;
  const { stdout } = await execa(process.execPath, ['--input-type=module', '--eval', program], {
    cwd: fileURLToPath(new URL('..', import.meta.url)),
    env: { NODE_OPTIONS: '' },
  });
  expect(JSON.parse(stdout)).toEqual({ name: 'DomainError', kind: 'unavailable' });
});
