import { writeFile } from 'node:fs/promises';
import { createLog } from '@store/shared/observability/log';
import request from 'supertest';
import { configSchema } from '../../services/console/src/config.ts';
import { createConsole } from '../../services/console/src/service.ts';
import { typesOf } from './client-sources.ts';

// Writes the types of the console's routes, for its pages, into the given file. Called by make generate.

const lists = { SERVICES: '', METRICS: '', GROUPS: '', AUDITED: '' };
const config = configSchema.parse({ CONSOLE_TOKEN: 'x'.repeat(32), ...lists });
const { app } = createConsole({ config, log: createLog('console', 'silent') });
const { body } = await request(app).get('/console/v3/api-docs');
await writeFile(String(process.argv[2]), await typesOf(body, 'make generate from the routes of the console'));
