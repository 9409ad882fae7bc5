import { Tool } from '../../run-command.ts';
import { environmentHelp, withCluster } from '../api.ts';
import { type Options, rotateKey } from '../rotation/rotate-key.ts';

await new Tool('make rotate-key')
  .description(
    'Makes a new JWT key sign tokens without logging anybody out. The next call resumes an interrupted rotation. Previous keys verify until their last token has expired; a later rotation drops them.',
  )
  .option('--drop-previous', 'instead of a rotation: remove the previous keys once their tokens have expired')
  .option('--now', 'drop them even if their tokens may still be valid, which logs customers out')
  .option('--key-pair', 'change from a shared secret to an Ed25519 key pair; later rotations keep to key pairs')
  .addHelpText('after', environmentHelp)
  .action((options: Options) => withCluster((cluster) => rotateKey(cluster, options)))
  .run();
