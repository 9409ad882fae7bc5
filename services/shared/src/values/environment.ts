import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { wholeNumber } from './fields.ts';
import { sentenceOf } from './sentences.ts';

// Reads environment variables. Each module and service declares its own in config.ts.

/** Every problem of the environment, one line each. */
export class ConfigError extends Error {
  readonly lines: string[];

  constructor(lines: string[]) {
    super(`Invalid configuration:\n${lines.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'ConfigError';
    this.lines = lines;
  }
}

export const port = wholeNumber(0, 65535);

/** `true` or `false` only: a security switch must not depend on a guess what `yes` means. */
export const flag = z.enum(['true', 'false']).transform((value) => value === 'true');

/** Comma-separated; blanks around the items and empty items are dropped. */
export const list = z.string().transform((value) =>
  value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== ''),
);

/** http or https; without a trailing slash, so that a path can be appended. */
export const serviceUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https URL' })
  .transform((value) => value.replace(/\/+$/, ''));

/** Text, or `file:///path` of a file that holds it. A function, because the file of a Secret changes while a process runs. */
export const secret = z
  .string()
  .transform(
    (given) => () => (given.startsWith('file:///') ? readFileSync(fileURLToPath(given), 'utf8').trim() : given),
  );

/** For a refinement over several variables: runs even if others are invalid, so that all problems are reported at once. */
export const reportTogether = { when: () => true };

/**
 * Reads the file that `<name>_FILE` names, once. Undefined if the variable is unset or the file is missing, since a Secret may lack a key.
 * @throws ConfigError if the file exists but cannot be read
 */
function textOfFile(name: string, env: NodeJS.ProcessEnv): string | undefined {
  const file = env[`${name}_FILE`];
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    throw new ConfigError([`${name}_FILE: cannot be read (${code})`]);
  }
}

/**
 * Reads the environment. An empty variable is unset. If a variable is unset, `<name>_FILE` may name a file that holds its value.
 * @throws ConfigError without the values, which may be secret
 */
export function readConfig<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  const { shape = {} } = schema as { shape?: object };
  const ofFiles = Object.keys(shape).map((name) => [name, textOfFile(name, env)]);
  const isGiven = ([, value]: unknown[]) => value !== '' && value !== undefined;
  const given = Object.fromEntries([...ofFiles.filter(isGiven), ...Object.entries(env).filter(isGiven)]);
  const result = schema.safeParse(given, { error: sentenceOf('environment') });
  if (result.success) return result.data;
  throw new ConfigError(
    result.error.issues.map((issue) => {
      const name = String(issue.path[0] ?? 'environment');
      return name in given ? `${name}: ${issue.message}` : `${name} is not set`;
    }),
  );
}
