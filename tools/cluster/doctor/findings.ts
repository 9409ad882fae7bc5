/** What a check found, a line each. */
export interface Finding {
  what: string;
  /** What to do about it, where it is wrong. */
  remedy?: string;
}

export const ok = (what: string): Finding => ({ what });
export const wrong = (what: string, remedy: string): Finding => ({ what, remedy });
