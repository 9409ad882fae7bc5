import { runService } from '@store/shared/service/run-service';
import { orderService } from './service.ts';

await runService(orderService);
