import type { Command } from 'commander';

/** Runs a command of the command line. A failure is one message on standard error and exit code 1. */
export async function runCommand(command: Command, describe = messageOf): Promise<void> {
  if (process.env.IN_CLUSTER) command.name(command.name().replace(/^make/, 'store')); // tools/toolbox
  try {
    await command.parseAsync();
  } catch (error) {
    console.error(describe(error));
    process.exitCode = 1;
  }
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));
