// Runs the operators' commands in an image beside the store, without sources, npm or make.

const commands: Record<string, () => Promise<unknown>> = {
  doctor: () => import('../cluster/commands/doctor.ts'),
  'rotate-key': () => import('../cluster/commands/rotate-key.ts'),
  'rotate-password': () => import('../cluster/commands/rotate-password.ts'),
  restore: () => import('../cluster/commands/restore.ts'),
  dlq: () => import('../local/commands/dead-letters.ts'),
  import: () => import('../local/commands/import.ts'),
  export: () => import('../local/commands/export.ts'),
  grant: () => import('../local/commands/grant.ts'),
  reconcile: () => import('../local/commands/reconcile.ts'),
};

/** Commands that the values of the chart allow. The pod has only the rights that these need. */
const allowed = process.env.TOOLBOX_COMMANDS?.split(',') ?? Object.keys(commands);

const [name = ''] = process.argv.splice(2, 1);
const run = commands[name];
if (run && allowed.includes(name)) await run();
else if (run) {
  console.error(`The command ${name} is switched off here: toolbox.commands in the values of the chart`);
  process.exitCode = 1;
} else {
  const isWanted = ['', '--help', '-h', 'help'].includes(name);
  const text = `Usage: store <command> [options]

Commands: ${allowed.join(', ')}. Each has --help.
Instead of REDRIVE=payment-group or ARGS=--replace with make, use --redrive payment-group or --replace.`;
  if (isWanted) console.log(text);
  else console.error(`There is no command ${name}.\n\n${text}`);
  process.exitCode = isWanted ? 0 : 1;
}
