import { Command } from 'commander';
import { messageOf } from '../services/shared/src/values/errors.ts';

/** A command of the command line, such as make seed. */
export class Tool extends Command {
  /** Runs it. A failure is one message on standard error and exit code 1. */
  async run(describe = messageOf): Promise<void> {
    if (process.env.IN_CLUSTER) this.name(this.name().replace(/^make/, 'store')); // tools/toolbox
    try {
      await this.parseAsync();
    } catch (error) {
      console.error(describe(error));
      process.exitCode = 1;
    }
  }
}
