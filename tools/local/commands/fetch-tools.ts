import { provideGatewayTools } from '../components/gateway.ts';
import { provideKafka } from '../components/kafka.ts';

await Promise.all([provideKafka(), provideGatewayTools()]);
