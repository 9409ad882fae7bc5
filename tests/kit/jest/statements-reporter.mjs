/** Fails a run in which a service sent a statement whose columns are not those of its row type. */
export default class StatementsReporter {
  #error;

  async onRunComplete() {
    const folder = process.env.TEST_STATEMENTS;
    if (folder === undefined) return;
    const { differencesOf, recordedIn } = await import('../statements/check.ts');
    const differences = differencesOf(recordedIn(folder), folder);
    if (differences.length === 0) return;
    this.#error = new Error(`Statements return other rows than their types say:\n${differences.join('\n')}`);
    console.log(this.#error.message);
  }

  getLastError() {
    return this.#error;
  }
}
