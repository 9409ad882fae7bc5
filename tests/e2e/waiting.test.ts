import { execa } from 'execa';

test('a command that waits long prints nothing but its own output', async () => {
  const source = `
    import pWaitFor from 'p-wait-for';
    let calls = 0;
    await pWaitFor(() => ++calls > 20, { interval: 1, timeout: 60_000 });
    console.log(calls + ' calls');`;
  const { all } = await execa('node', ['--input-type=module', '--eval', source], { all: true });
  expect(all).toBe('21 calls');
});
