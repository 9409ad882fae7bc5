import { execa } from 'execa';
import { root } from '../../tools/paths.ts';

// Variables of make that would otherwise do more than was meant. What the command does is tested in services/consumers.
it.each([
  ['an empty id, which is not all letters', { REDRIVE: 'invoice-group', ID: ' ' }, 'ID is empty.'],
  ['a dry run that is neither on nor left out', { REDRIVE: 'invoice-group', DRY_RUN: '0' }, 'DRY_RUN'],
  ['two things at once', { REDRIVE: 'invoice-group', DISCARD: 'invoice-group' }, 'at a time'],
  ['a group that there is not', { REDRIVE: 'nobody' }, 'There is no group nobody.'],
])('make dlq refuses %s', async (_, variables, expected) => {
  const command = ['--import', 'tsx', 'tools/local/commands/dead-letters.ts'];
  const env = { ...variables, NODE_OPTIONS: '' };
  const { exitCode, stderr } = await execa(process.execPath, command, { cwd: root, env, reject: false });
  expect(stderr).toContain(expected);
  expect(exitCode).toBe(1);
});
