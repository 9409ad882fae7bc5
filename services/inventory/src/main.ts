import { runService } from '@store/shared/service/run-service';
import { inventoryService } from './service.ts';

await runService(inventoryService);
