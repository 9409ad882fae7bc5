/** Findings of a check, a line each. */
export interface Finding {
  what: string;
  /** The remedy, where it is wrong. */
  remedy?: string;
}

export const ok = (what: string): Finding => ({ what });
export const wrong = (what: string, remedy: string): Finding => ({ what, remedy });
