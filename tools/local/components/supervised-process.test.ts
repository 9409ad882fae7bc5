import { useFolder } from '../../../tests/kit/folder.ts';
import { until } from '../../../tests/kit/until.ts';
import { startProcess } from './supervised-process.ts';

const logDir = useFolder();

it('shows of a process that ends its own last lines, none of the one before', async () => {
  const said: string[] = [];
  const process = await startProcess({
    name: 'thing',
    command: 'sh',
    args: ['-c', `test -f ${logDir}/second && exit 4; touch ${logDir}/second; echo bad luck; sleep 0.5; exit 3`],
    logDir,
    log: (line) => said.push(line),
    ready: async () => true,
  });
  try {
    await until('it has ended twice', async () => said.some((line) => line.includes('code 4')));
    expect(said.filter((line) => line.includes('restarting'))).toEqual([
      'thing: exited with code 3, restarting in 0.25 s. Its last lines:\n    bad luck',
      'thing: exited with code 4, restarting in 0.5 s. It has written nothing.',
    ]);
  } finally {
    await process.stop();
  }
});
