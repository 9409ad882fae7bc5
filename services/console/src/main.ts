import { runService } from '@store/shared/service/run-service';
import { consoleService } from './service.ts';

await runService(consoleService);
