import { Command, type Option } from 'commander';
import { messageOf } from '../services/shared/src/values/errors.ts';

const inCluster = Boolean(process.env.IN_CLUSTER);

/** A command-line tool, such as make seed. */
export class Tool extends Command {
  /** Called by commander. Names the variable, because users of make targets do not see the option. */
  missingMandatoryOptionValue({ envVar, flags }: Option): void {
    const missing = envVar === undefined || inCluster ? flags : `${envVar}=…`;
    this.error(`error: ${missing} is missing: ${this.name()} ${this.usage()}`);
  }

  /** Runs it. A failure is one message on standard error and exit code 1. */
  async run(describe = messageOf): Promise<void> {
    if (inCluster) this.name(this.name().replace(/^make/, 'store')); // tools/toolbox
    try {
      await this.parseAsync();
    } catch (error) {
      console.error(describe(error));
      process.exitCode = 1;
    }
  }
}
