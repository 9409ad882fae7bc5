/** A line, and a second one with the remedy where something is wrong. */
export type Finding = `ok     ${string}` | `-      ${string}` | `WRONG  ${string}\n       ${string}`;

export const ok = (what: string): Finding => `ok     ${what}`;
/** What this command leaves to others. */
export const unseen = (what: string): Finding => `-      ${what}`;
export const wrong = (what: string, remedy: string): Finding => `WRONG  ${what}\n       ${remedy}`;

/** The remedy for what a restore that has not ended has stopped. */
export const afterRestore = 'make restore goes on with it, or starts everything without it: make restore ARGS=--start';
