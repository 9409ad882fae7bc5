import { runService } from '@store/shared/service/run-service';
import { paymentService } from './service.ts';

await runService(paymentService);
