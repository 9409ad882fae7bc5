import { freePort } from '../../../tools/free-port.ts';
import { startProcess } from '../../../tools/local/components/supervised-process.ts';
import { findOnPath, outputOf } from '../../../tools/local/downloads/provide-tool.mjs';

const wraparound = '--collector.database_wraparound';

export const howToGetExporter =
  'apt-get install prometheus-postgres-exporter (Debian 13 or Ubuntu 24.04 and later), or set POSTGRES_EXPORTER to its path';

/** POSTGRES_EXPORTER, else the program on PATH, if it can report the age of transaction ids (0.14 or later). */
export async function findExporter(): Promise<string | undefined> {
  const found =
    process.env.POSTGRES_EXPORTER ||
    (await findOnPath('postgres_exporter')) ||
    (await findOnPath('prometheus-postgres-exporter'));
  const help = found && (await outputOf(found, ['--help']));
  return help?.includes('collector.database_wraparound') ? found : undefined;
}

/** Starts postgres_exporter as the chart does. @param databaseUrl of a role with the rights of pg_monitor */
export async function startExporter(command: string, databaseUrl: string, logDir: string) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const exporter = await startProcess({
    name: 'postgres-exporter',
    command,
    args: [`--web.listen-address=127.0.0.1:${port}`, wraparound],
    env: { DATA_SOURCE_NAME: `${databaseUrl}?sslmode=disable` },
    logDir,
    log: () => undefined,
    ready: async () => (await fetch(url)).ok,
  });
  return { ...exporter, url: `${url}/metrics` };
}
