// The commands for operators, as an image runs them beside the store: neither sources, npm nor make are needed.

const commands: Record<string, () => Promise<unknown>> = {
  doctor: () => import('../cluster/commands/doctor.ts'),
  'rotate-key': () => import('../cluster/commands/rotate-key.ts'),
  'rotate-password': () => import('../cluster/commands/rotate-password.ts'),
  restore: () => import('../cluster/commands/restore.ts'),
  dlq: () => import('../local/commands/dead-letters.ts'),
  grant: () => import('../local/commands/grant.ts'),
};

/** Of the values of the chart: the pod has rights for these alone. */
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
What make calls REDRIVE=payment-group or ARGS=--replace is --redrive payment-group or --replace here.`;
  if (isWanted) console.log(text);
  else console.error(`There is no command ${name}.\n\n${text}`);
  process.exitCode = isWanted ? 0 : 1;
}
