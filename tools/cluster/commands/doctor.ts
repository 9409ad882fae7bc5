import { Tool } from '../../run-command.ts';
import { environmentHelp, withCluster } from '../api.ts';
import { doctor } from '../doctor/doctor.ts';

await new Tool('make doctor')
  .description(
    'Reports what is wrong with the release in the cluster, and what to do about it: its state, Secrets, volumes, workloads, Jobs, and what operators run for it: databases, Kafka, certificates, autoscalers. Changes nothing and prints no secret. helm test and alerts tell whether the store works.',
  )
  .addHelpText('after', `${environmentHelp}\n\nExit code: 0 if nothing is wrong.`)
  .action(() =>
    withCluster(async (cluster) => {
      process.exitCode = (await doctor(cluster)) === 0 ? 0 : 1;
    }),
  )
  .run();
