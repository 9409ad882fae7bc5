/** Short, so that whoever waits at a page sees soon what does not answer. */
export const readMs = 3_000;
/** A redrive hands up to 100 letters to their handler, one at a time. */
export const patientMs = 60_000;
