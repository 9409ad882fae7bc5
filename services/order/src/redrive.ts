import { runRedrive } from '@store/shared/service/run-redrive';
import { orderWorker } from './service.ts';

process.exitCode = await runRedrive(orderWorker);
