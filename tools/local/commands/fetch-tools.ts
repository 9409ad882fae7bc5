import { Command } from 'commander';
import { runCommand } from '../../run-command.ts';
import { provideGatewayTools } from '../components/gateway.ts';
import { provideKafkaTools } from '../downloads/kafka.ts';

const command = new Command('make tools')
  .description('Downloads Envoy, Java, Kafka and Helm into .cache/tools, unless the machine has them.')
  .action(async () => {
    await Promise.all([provideKafkaTools(), provideGatewayTools()]);
  });

await runCommand(command);
