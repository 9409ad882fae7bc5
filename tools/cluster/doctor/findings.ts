/** What a check found, a line each. */
export interface Finding {
  what: string;
  /** Where it is wrong: what to do, in a sentence. */
  wrong?: string;
}

export const ok = (what: string): Finding => ({ what });
export const wrong = (what: string, todo: string): Finding => ({ what, wrong: todo });
