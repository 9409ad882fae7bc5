import { Tool } from '../../run-command.ts';
import { environmentHelp, withCluster } from '../api.ts';
import { listBackups, restore, start } from '../restore/restore.ts';

await new Tool('make restore')
  .description(
    'Restores the PostgreSQL of the release from a backup, such as 20260131T021700Z. Stops the services meanwhile. If it is interrupted, the next call goes on from there. Without a name it lists the backups.',
  )
  .option('--from <name>', 'the backup', '')
  .option('--replace', 'drop the data in the databases; otherwise they must be empty')
  .option('--start', 'restore nothing: start the services that a failed restore has left stopped')
  .addHelpText('after', environmentHelp)
  .action(({ from, replace, start: isStart }: { from: string; replace?: boolean; start?: boolean }) =>
    withCluster((cluster) => {
      if (isStart) return start(cluster);
      return from === '' ? listBackups(cluster) : restore(cluster, from, replace);
    }),
  )
  .run();
