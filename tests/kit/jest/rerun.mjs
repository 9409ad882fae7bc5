/** With more failed files than this something is broken, and a second run of each would only take long. */
const maxRerun = 10;
/** Files that may pass at their second run only. With more of them the run fails. */
const maxFlaky = 2;

const hasFailed = ({ numFailingTests, testExecError }) => numFailingTests > 0 || Boolean(testExecError);

/**
 * Runs test files, and each that failed once more, alone, after all others. Jest gets one result per file. That of a file
 * which passed at its second run has the first one as `flaky`, and the failure stays the file's result if too many are flaky.
 *
 * @param run runs all files, as the `runTests` of a runner
 * @param runAlone runs one file in a thread of its own, likewise
 */
export async function rerunFailed(run, runAlone, tests, [onStart, onResult, onFailure]) {
  const failures = [];
  await run(
    tests,
    onStart,
    (test, result) => (hasFailed(result) ? failures.push({ test, result }) : onResult(test, result)),
    (test, error) => failures.push({ test, error }),
  );
  if (failures.length > maxRerun) console.log(`${failures.length} files failed, too many to run each once more.`);
  else for (const failure of failures) await rerun(failure);

  const isFlaky = ({ second }) => second !== undefined && !hasFailed(second);
  const tooMany = failures.filter(isFlaky).length > maxFlaky;
  for (const failure of failures) {
    const { test, result, error, second } = failure;
    if (isFlaky(failure) && !tooMany) await onResult(test, Object.assign(second, { flaky: reasonOf(failure) }));
    else if (error) await onFailure(test, error);
    else await onResult(test, isFlaky(failure) ? Object.assign(result, { flaky: reasonOf(failure) }) : result);
  }

  async function rerun(failure) {
    console.log(`Running once more, alone: ${failure.test.path}`);
    await runAlone(
      failure.test,
      (_, result) => {
        failure.second = result;
      },
      () => undefined,
    );
  }
}

const reasonOf = ({ result, error }) => String(result?.failureMessage ?? error?.stack ?? error);
