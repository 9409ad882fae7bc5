import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { root } from '../paths.ts';
import { runCommand } from '../run-command.ts';
import { collectImage } from './collect-image.ts';

const command = new Command('collect')
  .description('Copies compiled services and what they need at run time into a folder, for services/Dockerfile.')
  .argument('<folder>', 'receives <service>/services/<service>, <service>/services/shared and <service>/node_modules')
  .argument('<services...>', 'such as order')
  .action(async (folder: string, services: string[]) => {
    const traced = {};
    for (const service of services) {
      if (!existsSync(join(root, 'services', service, 'dist/main.js'))) {
        throw new Error(
          `services/${service}/dist/main.js does not exist: is there a service ${service}, and is it built?`,
        );
      }
      await collectImage(service, join(folder, service), traced);
    }
  });

await runCommand(command);
