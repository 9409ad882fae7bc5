import { Tool } from '../../run-command.ts';
import { environmentHelp, withCluster } from '../api.ts';
import { rotatePassword } from '../rotation/rotate-password.ts';

await new Tool('make rotate-password')
  .description(
    'Gives all roles of PostgreSQL, of the release or by CloudNativePG, new passwords without a failed request. The next call resumes an interrupted rotation.',
  )
  .addHelpText('after', environmentHelp)
  .action(() => withCluster((cluster) => rotatePassword(cluster)))
  .run();
