import { runService } from '@store/shared/service/run-service';
import { authService } from './service.ts';

await runService(authService);
