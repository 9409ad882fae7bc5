import { runService } from '@store/shared/service/run-service';
import { consumersService } from './service.ts';

await runService(consumersService);
