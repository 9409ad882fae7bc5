/** If more files than this fail, something is broken, and running each again would only waste time. */
const maxRerun = 10;
/** If more files than this pass only on their second run, the run fails. */
const maxFlaky = 2;

const hasFailed = ({ numFailingTests, testExecError }) => numFailingTests > 0 || Boolean(testExecError);

/**
 * Runs test files, then runs each failed one again, alone. Jest gets one result per file. If a file passes on its second run, its
 * result carries the first failure as `flaky`. If too many files are flaky, the failure remains their result.
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
