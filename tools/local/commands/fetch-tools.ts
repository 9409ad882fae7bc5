import { Command } from 'commander';
import { runCommand } from '../../run-command.ts';
import { provideGatewayTools } from '../components/gateway.ts';
import { provideKafka } from '../downloads/kafka.ts';

const command = new Command('make tools')
  .description('Downloads Envoy, Kafka and Helm into .cache/tools, unless the machine has them.')
  .action(async () => {
    await Promise.all([provideKafka(), provideGatewayTools()]);
  });

await runCommand(command);
