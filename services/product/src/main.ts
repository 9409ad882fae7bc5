import { runService } from '@store/shared/service/run-service';
import { productService } from './service.ts';

await runService(productService);
