/** Ends a run of Jest with one plain line for people and scripts alike. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests } = results;
    const skipped = numPendingTests + numTodoTests;
    if (skipped) console.log(`${skipped} skipped`);
    // a file that cannot be loaded has failed, though none of its tests was run
    console.log(`${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed`);
  }
}
