import { Command } from 'commander';
import { requireHelm } from '../local/downloads/helm.ts';
import { runCommand } from '../run-command.ts';

await runCommand(new Command('helm-path').action(async () => console.log(await requireHelm())));
