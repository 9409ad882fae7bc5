import { requireHelm } from '../local/downloads/helm.mjs';
import { Tool } from '../run-command.ts';

await new Tool('helm-path').action(async () => console.log(await requireHelm())).run();
