import { runRedrive } from '@store/shared/service/run-redrive';
import { inventoryService } from './service.ts';

process.exitCode = await runRedrive(inventoryService);
