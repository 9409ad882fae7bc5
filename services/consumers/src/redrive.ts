import { runRedrive } from '@store/shared/service/run-redrive';
import { consumersService } from './service.ts';

process.exitCode = await runRedrive(consumersService);
