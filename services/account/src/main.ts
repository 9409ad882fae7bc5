import { runService } from '@store/shared/service/run-service';
import { accountService } from './service.ts';

await runService(accountService);
