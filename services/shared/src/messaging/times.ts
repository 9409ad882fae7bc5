// The times of messaging, few and in one place, because they depend on one another. What is said of one holds wherever it is used.

/**
 * Time for which a request may wait for its answer, in seconds in which this process runs: one that was suspended has not waited. Longer
 * than a broker holds one back on purpose, which it does for `sessionMs` at most.
 */
export const longestAnswerSeconds = 15;
/** Time in which the broker hears of a member or counts it as dead, waits for members to rejoin and for replicas, and answers a probe. */
export const sessionMs = 10_000;
/** Time between two heartbeats, for which an idle fetch waits, and for which a scrape of the lag waits at most. */
export const heartbeatMs = 3_000;
/** Pause before whatever failed at the broker is tried with a new client, or by another relay, and time for which the old one may take to connect or to end. */
export const pauseMs = 2_000;
/**
 * Time for which work is collected that costs the broker as much for one as for many, pause before it is tried again, and time for
 * which events wait after a notification, or the active relay, was lost.
 */
export const secondMs = 1_000;
/**
 * Time that rare questions to the broker may take, and a rebalance with its repetitions: by then the last member is a member again.
 * A relay that asks the database nothing for as long has hung.
 */
export const recoveryMs = 30_000;
/** Time for which what comes next waits for a chunk, which may hang at a lock or a provider. */
export const briefMs = 100;
/** Pauses after failures in a row. */
export const retryPauses = { firstMs: briefMs, maxMs: pauseMs };
