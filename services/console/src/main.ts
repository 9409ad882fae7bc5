import { runStatelessService } from '@store/shared/service/run-service';
import { consoleService } from './service.ts';

await runStatelessService(consoleService);
