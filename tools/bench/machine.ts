import { availableParallelism, cpus, totalmem } from 'node:os';
import { execa } from 'execa';
import { findPostgres } from '../local/components/postgres-program.ts';
import { provideEnvoy } from '../local/downloads/envoy.ts';
import { provideKafka } from '../local/downloads/java.ts';
import { root } from '../paths.ts';

/** Describes the conditions that figures depend on beside the code, in a line. */
export async function describeMachine(): Promise<string> {
  const versionIn = async (pattern: RegExp, command: string, ...args: string[]) =>
    pattern.exec((await execa(command, args)).stdout)?.[1] ?? 'unknown';
  const postgres = await versionIn(/([\d.]+)$/, (await findPostgres()).postgres, '--version');
  const kafka = await versionIn(/^kafka_2\.13-([\d.]+)\.jar$/m, 'ls', `${await provideKafka()}/libs`);
  const envoy = await versionIn(/\/([\d.]+)\//, await provideEnvoy(), '--version');
  const machine = `${availableParallelism()} × ${cpus()[0]?.model ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GiB`;
  return `${machine}, Node ${process.versions.node}, PostgreSQL ${postgres}, Kafka ${kafka}, Envoy ${envoy}`;
}

/** The commit that is checked out, with `-dirty` where files differ from it. */
export async function currentCommit(): Promise<string> {
  const args = ['describe', '--always', '--dirty', '--abbrev=40', '--exclude=*'];
  return (await execa('git', args, { cwd: root })).stdout;
}
