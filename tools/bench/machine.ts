import { availableParallelism, cpus, totalmem } from 'node:os';
import { execa } from 'execa';
import { z } from 'zod';
import { findPostgres } from '../local/components/postgres-program.ts';
import { provideEnvoy } from '../local/downloads/envoy.ts';
import { provideKafka } from '../local/downloads/kafka.ts';
import { cacheDir, root } from '../paths.ts';

/** Conditions that figures depend on beside the code. */
export const machineSchema = z.object({
  cpu: z.string(),
  cores: z.number(),
  memoryGib: z.number(),
  node: z.string(),
  postgres: z.string(),
  kafka: z.string(),
  envoy: z.string(),
});
export type Machine = z.infer<typeof machineSchema>;

export async function describeMachine(): Promise<Machine> {
  const { postgres } = await findPostgres(cacheDir);
  const kafka = await execa('ls', [`${await provideKafka()}/libs`]);
  const envoy = await execa(await provideEnvoy(), ['--version']);
  return {
    cpu: cpus()[0]?.model ?? 'unknown',
    cores: availableParallelism(),
    memoryGib: Math.round(totalmem() / 2 ** 30),
    node: process.versions.node,
    postgres: versionIn((await execa(postgres, ['--version'])).stdout, /([\d.]+)$/),
    kafka: versionIn(kafka.stdout, /^kafka_2\.13-([\d.]+)\.jar$/m),
    envoy: versionIn(envoy.stdout, /\/([\d.]+)\//),
  };
}

/** The commit that is checked out, with `-dirty` where files differ from it. */
export async function currentCommit(): Promise<string> {
  const { stdout } = await execa('git', ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'], {
    cwd: root,
  });
  return stdout;
}

export const oneLine = ({ cpu, cores, memoryGib, node, postgres, kafka, envoy }: Machine): string =>
  `${cores} × ${cpu}, ${memoryGib} GiB, Node ${node}, PostgreSQL ${postgres}, Kafka ${kafka}, Envoy ${envoy}`;

const versionIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1] ?? 'unknown';
