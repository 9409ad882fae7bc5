import { runRedrive } from '@store/shared/service/run-redrive';
import { paymentService } from './service.ts';

process.exitCode = await runRedrive(paymentService);
