import { Tool } from '../../run-command.ts';
import { provideGatewayTools } from '../components/gateway.ts';
import { provideKafkaTools } from '../downloads/java.ts';

await new Tool('make tools')
  .description('Downloads Envoy, Java, Kafka and Helm into .cache/tools, unless they are installed.')
  .action(async () => {
    await Promise.all([provideKafkaTools(), provideGatewayTools()]);
  })
  .run();
