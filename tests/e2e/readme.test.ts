import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { payloads } from '@store/shared/messaging/events';
import { root } from '../../tools/paths.ts';

const common = ['orderId', 'customerId', 'timestamp'];

it('the table of events names every kind with its fields', async () => {
  const readme = await readFile(join(root, 'README.md'), 'utf8');
  const [, table = ''] = /\| Event \| By .*\n\|[-|]+\n((?:\|.*\n)+)/.exec(readme) ?? [];
  const told = table.split('\n').flatMap((line) => {
    const [, kind = '', , , fields = ''] = line.split('|').map((cell) => cell.trim());
    return kind === ''
      ? []
      : [[kind.replaceAll('`', ''), (fields.match(/`\w+`/g) ?? []).map((name) => name.slice(1, -1))]];
  });
  const real = Object.entries(payloads).map(([kind, schema]) => [
    kind,
    Object.keys(schema.shape).filter((field) => !common.includes(field)),
  ]);
  expect(Object.fromEntries(told)).toEqual(Object.fromEntries(real));
});
