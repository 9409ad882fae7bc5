/** A line, and for a problem a second line with the remedy. */
export type Finding = `ok     ${string}` | `-      ${string}` | `WRONG  ${string}\n       ${string}`;

export const ok = (what: string): Finding => `ok     ${what}`;
/** Something that this command cannot check. */
export const notChecked = (what: string): Finding => `-      ${what}`;
export const wrong = (what: string, remedy: string): Finding => `WRONG  ${what}\n       ${remedy}`;

/** The remedy for things that an unfinished restore has stopped. */
export const resumeRestore =
  'make restore goes on with the restore; make restore ARGS=--start starts everything without it';
