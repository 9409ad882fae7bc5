/** Fails the run if a service sent a statement whose columns do not match its row type. */
export default class StatementsReporter {
  #error;

  async onRunComplete() {
    const folder = process.env.TEST_STATEMENTS;
    if (folder === undefined) return;
    const { differencesOf, recordedIn } = await import('../statements/check.ts');
    const differences = differencesOf(recordedIn(folder), folder);
    if (differences.length === 0) return;
    this.#error = new Error(`The rows of these statements do not match their types:\n${differences.join('\n')}`);
    console.log(this.#error.message);
  }

  getLastError() {
    return this.#error;
  }
}
