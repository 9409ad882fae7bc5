import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { wholeNumber } from './fields.ts';
import { sentenceOf } from './sentences.ts';

// Reading the environment. What the variables are is said by the config.ts of each module and service.

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

/** `true` or `false` and nothing else: guessing what `yes` means is no way to read a security switch. */
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

/** A text, or `file:///path` of one: a function, because the file of a Secret changes while a process runs. */
export const secret = z
  .string()
  .transform(
    (given) => () => (given.startsWith('file:///') ? readFileSync(fileURLToPath(given), 'utf8').trim() : given),
  );

/** For a refinement over several variables: runs even if others are invalid, so that all problems are reported at once. */
export const reportTogether = { when: () => true };

/**
 * The text of the file that `<name>_FILE` names, which is read once; undefined without such a variable or file: a Secret may lack it.
 * @throws ConfigError where the file is there and cannot be read
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
 * Reads the environment; an empty variable is unset, and `<name>_FILE` names a file with the text of one that is unset.
 * @throws ConfigError that names no value: it may be a secret
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
