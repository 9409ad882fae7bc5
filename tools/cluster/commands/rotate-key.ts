import { Tool } from '../../run-command.ts';
import { environmentHelp, withCluster } from '../api.ts';
import { type Options, rotateKey } from '../rotation/rotate-key.ts';

await new Tool('make rotate-key')
  .description(
    'Makes a new JWT key sign tokens without logging anybody out. A repetition resumes an interrupted rotation. Keys before it verify until their last token has expired; a later rotation drops them.',
  )
  .option('--drop-previous', 'instead of a rotation: remove the previous keys once their tokens have expired')
  .option('--now', 'drop them even while tokens of them may be valid, which logs their customers out')
  .option('--key-pair', 'change from a shared secret to an Ed25519 key pair, which stays one from then on')
  .addHelpText('after', environmentHelp)
  .action((options: Options) => withCluster((cluster) => rotateKey(cluster, options)))
  .run();
