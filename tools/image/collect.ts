import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { root } from '../paths.ts';
import { runCommand } from '../run-command.ts';
import { collectImage } from './collect-image.ts';

const command = new Command('collect')
  .description('Copies a compiled service and what it needs at run time into a folder, for services/Dockerfile.')
  .argument('<service>', 'such as order')
  .argument('<folder>', 'receives services/<service>, services/shared and node_modules')
  .action(async (service: string, folder: string) => {
    if (!existsSync(join(root, 'services', service, 'dist/main.js'))) {
      throw new Error(
        `services/${service}/dist/main.js does not exist: is there a service ${service}, and is it built?`,
      );
    }
    await collectImage(service, folder);
  });

await runCommand(command);
