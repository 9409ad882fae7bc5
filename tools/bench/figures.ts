import figures from './figures.json' with { type: 'json' };

/** A figure and the limit that it has to keep. */
export interface Row {
  name: string;
  measured: string;
  /** NaN if the measurement failed. */
  result: number;
  /** The unit of the result, for example `MiB`; a ratio has none. */
  unit?: string;
  atLeast?: number;
  atMost?: number;
}

/**
 * Names with units and limits are in figures.json.
 * @param of what the `*` of its name stands for, one of several things
 */
export function figure(key: keyof typeof figures, result: number, measured: string, of: string | number = ''): Row {
  const { name, ...limits }: Omit<Row, 'measured' | 'result'> = figures[key];
  return { name: name.replace('*', String(of)), measured, result, ...limits };
}
