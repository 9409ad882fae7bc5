import { runService } from '@store/shared/service/run-service';
import { orderWorker } from './service.ts';

await runService(orderWorker);
