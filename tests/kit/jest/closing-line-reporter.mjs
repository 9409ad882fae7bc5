/** Ends a Jest run with one line that people and scripts can read. */
export default class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    for (const { testFilePath, flaky } of results.testResults.filter((file) => file.flaky))
      console.log(`Flaky, fix it: ${testFilePath} passed when it was run again alone. Its first run failed:\n${flaky}`);
    const { numPassedTests, numFailedTests, numRuntimeErrorTestSuites, numPendingTests, numTodoTests } = results;
    const skipped = numPendingTests + numTodoTests;
    if (skipped) console.log(`${skipped} skipped`);
    // A file that fails to load counts as a failure, although none of its tests ran.
    console.log(`${numPassedTests} passed, ${numFailedTests + numRuntimeErrorTestSuites} failed`);
  }
}
