import { Tool } from '../../run-command.ts';
import { environmentHelp, withCluster } from '../api.ts';
import { listBackups, restore, start } from '../restore/restore.ts';

await new Tool('make restore')
  .description(
    'Restores the PostgreSQL of the release from one of its backups, such as 20260131T021700Z. The services are stopped meanwhile. A repetition goes on where an interrupted one stopped. Without a name the present backups are listed.',
  )
  .option('--from <name>', 'the backup', '')
  .option('--replace', 'drop what the databases hold; otherwise they must be empty')
  .option('--start', 'restore nothing: start the services that a failed restore has left stopped')
  .addHelpText('after', environmentHelp)
  .action(({ from, replace, start: isStart }: { from: string; replace?: boolean; start?: boolean }) =>
    withCluster((cluster) => {
      if (isStart) return start(cluster);
      return from === '' ? listBackups(cluster) : restore(cluster, from, replace);
    }),
  )
  .run();
