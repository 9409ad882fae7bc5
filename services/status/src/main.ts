import { runService } from '@store/shared/service/run-service';
import { statusService } from './service.ts';

await runService(statusService);
