import { InvalidArgumentError } from 'commander';
import { Tool } from '../../run-command.ts';
import { environmentHelp, withCluster } from '../api.ts';
import { type Options, rotateKey } from '../rotation/rotate-key.ts';

function atLeastOne(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1) return count;
  throw new InvalidArgumentError('It must be 1 or more, as the old key has to verify.');
}

await new Tool('make rotate-key')
  .description(
    'Makes a new JWT key sign tokens without logging anybody out. A repetition resumes an interrupted rotation. A key of which tokens may be valid is not dropped: a third rotation within the life of a token (JWT_TTL_SECONDS) is refused.',
  )
  .option('--secret <name>', 'the Secret with the keys (default: the one that auth uses)')
  .option('--keep <number>', 'how many previous keys still verify', atLeastOne, 2)
  .option('--drop-previous', 'instead of a rotation: remove the previous keys once their tokens have expired')
  .option('--now', 'drop a key even while tokens of it may be valid, which logs their customers out')
  .option('--key-pair', 'change from a shared secret to an Ed25519 key pair, which stays one from then on')
  .addHelpText('after', environmentHelp)
  .action((options: Options) => withCluster((cluster) => rotateKey(cluster, options)))
  .run();
