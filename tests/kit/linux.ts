/** /proc says what a process uses. Elsewhere the tests that ask it say so and are skipped. */
const hasProc = process.platform === 'linux';
if (!hasProc) process.stderr.write('skipped: tests that read /proc, which Linux alone has\n');

export const describeWithProc = hasProc ? describe : describe.skip;
