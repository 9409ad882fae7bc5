import { provideGatewayTools } from './gateway.ts';
import { provideKafka } from './kafka.ts';

await Promise.all([provideKafka(), provideGatewayTools()]);
