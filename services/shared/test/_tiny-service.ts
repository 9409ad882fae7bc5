import { once } from 'node:events';
import { createRequire } from 'node:module';
import pg from 'pg';
import { z } from 'zod';
import { isDatabaseUnavailable } from '../src/database/errors.ts';
import { commonConfig, databaseUrl } from '../src/service/config.ts';
import { runService } from '../src/service/run-service.ts';

const schema = z.object({
  ...commonConfig,
  DATABASE_URL: databaseUrl,
  GREETING: z.string(),
  PREPARE: z.string().optional(),
});

const loaded = () => Object.keys(createRequire(import.meta.url).cache);

/** A service with nothing in it but its life: /slow is answered after SIGUSR2, /crash crashes, /loaded lists packages. */
await runService('tiny', schema, async ({ config, log, onStop }) => {
  const query = async () => {
    const client = new pg.Client({ connectionString: config.DATABASE_URL, connectionTimeoutMillis: 500 });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('select 1').finally(() => client.end());
  };
  onStop('first', () => log.info('Closed what was opened first'));
  onStop('second', () => Promise.reject(new Error('no wish to end')));
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
    prepare: async () => {
      if (config.PREPARE !== undefined) throw new Error(config.PREPARE);
      await query();
    },
    isTransient: isDatabaseUnavailable,
    checks: {
      database: query,
      ...(config.GREETING === 'careless' && {
        careless: () => {
          throw new Error('thrown before there was a promise');
        },
        endless: () => new Promise(() => undefined),
      }),
    },
  };
});
