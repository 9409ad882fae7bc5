import { execa } from 'execa';

test('a command that waits long prints nothing but its own output', async () => {
  const source = `
    import { until } from './tools/bench/load.ts';
    let calls = 0;
    await until('twenty calls', () => ++calls > 20, 1);
    console.log(calls + ' calls');`;
  const { all } = await execa('node', ['--input-type=module', '--eval', source], { all: true });
  expect(all).toBe('21 calls');
});
