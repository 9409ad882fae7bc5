/** Only Linux has /proc, which shows what a process uses. On other systems the tests that need it say so and are skipped. */
const hasProc = process.platform === 'linux';
if (!hasProc) process.stderr.write('skipped: tests that read /proc, which only Linux has\n');

export const describeWithProc = hasProc ? describe : describe.skip;
