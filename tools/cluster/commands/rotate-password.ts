import { Tool } from '../../run-command.ts';
import { environmentHelp, withCluster } from '../api.ts';
import { rotatePassword } from '../rotation/rotate-password.ts';

await new Tool('make rotate-password')
  .description(
    'Gives all roles of the PostgreSQL in the release, or of that by CloudNativePG, new passwords without a failed request. A repetition resumes an interrupted rotation.',
  )
  .addHelpText('after', environmentHelp)
  .action(() => withCluster((cluster) => rotatePassword(cluster)))
  .run();
