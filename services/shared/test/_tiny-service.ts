import { once } from 'node:events';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { PrismaClient } from '../../payment/src/generated/client.ts';
import { databaseConfig } from '../src/database/config.ts';
import { configOf } from '../src/service/config.ts';
import { runService } from '../src/service/run-service.ts';
import type { ServiceDefinition } from '../src/service/service.ts';

const configSchema = configOf({
  ...databaseConfig,
  GREETING: z.string(),
  START_ERROR: z.string().optional(),
});

const loaded = () => Object.keys(createRequire(import.meta.url).cache);

/** A service that has only its lifecycle: /slow is answered after SIGUSR2, /crash crashes, /loaded lists packages. */
const tiny: ServiceDefinition<typeof configSchema, PrismaClient> = {
  name: 'tiny',
  configSchema,
  database: { PrismaClient, migrations: new URL(process.env.MIGRATIONS ?? 'no-migrations/', import.meta.url) },
  build({ config, log }) {
    const released = once(process, 'SIGUSR2');
    return {
      app: async (req, res) => {
        if (req.url === '/crash') setTimeout(() => Promise.reject(new Error('crashed')));
        if (req.url === '/slow') {
          res.write('half');
          await released;
          log.info('Answered');
        }
        res.end(req.url === '/loaded' ? loaded().join('\n') : config.GREETING);
      },
      jobs: [
        { start: () => ({ name: 'first', stop: () => log.info('The first job was stopped') }) },
        {
          start() {
            if (config.START_ERROR !== undefined) throw new Error(config.START_ERROR);
            return { name: 'second', stop: () => Promise.reject(new Error('refuses to stop')) };
          },
        },
      ],
    };
  },
};

await runService(tiny);
