import { InvalidArgumentError } from 'commander';
import { Tool } from '../run-command.ts';
import { costs } from './costs.ts';
import { assumptions, ceilings } from './model.ts';
import { number, planTable } from './tables.ts';

function rateOf(text: string): number {
  const rate = Number(text);
  if (rate > 0 && rate <= 1_000_000) return rate;
  throw new InvalidArgumentError('Give a number above 0 and at most 1,000,000.');
}

function print(rate: number): void {
  const { utilisation, coresOfServer, connectionsOfServer, kafkaReplicas, coresOfBroker } = assumptions;
  console.log(planTable(rate, costs));
  const reached = ceilings(costs).filter(([, ordersPerSecond]) => ordersPerSecond < rate);
  if (reached.length > 0) console.log('\nReached below this rate, the first one first:');
  for (const [what, ordersPerSecond, turn] of reached)
    console.log(`- ${what}: at ${number(ordersPerSecond)} orders per second. To raise it: ${turn}.`);
  console.log(`
Measured on ${costs.measured}.
Planned with ${100 * utilisation} % of a core used, servers of ${coresOfServer} cores and ${connectionsOfServer} connections, \
brokers of ${coresOfBroker} cores, ${kafkaReplicas} copies in Kafka. docs/scaling.md explains the rows.`);
}

await new Tool('make capacity')
  .description('Prints what a rate of orders takes, by the costs of an order in tools/capacity/costs.json.')
  .argument('<orders>', 'orders per second, around the clock; of make: ORDERS=<orders>', rateOf)
  .addHelpText('after', '\nmake bench ONLY=costs measures the costs anew, and rewrites the figures of docs/scaling.md.')
  .action(print)
  .run();
