describe('refuses to register inside a running test or hook', () => {
  const refused: string[] = [];
  beforeAll(async () => {
    await Promise.resolve();
    try {
      afterEach(() => undefined);
    } catch (error) {
      refused.push(String(error));
    }
  });

  it.each(['beforeAll', 'beforeEach', 'afterEach'] as const)('a hook: %s', async (hook) => {
    await Promise.resolve();
    expect(() => globalThis[hook](() => undefined)).toThrow(
      `${hook} inside "a hook: ${hook}": register it beside the tests, not while one runs.`,
    );
  });

  it('a hook inside a hook', () => {
    expect(refused).toEqual(['Error: afterEach inside beforeAll: register it beside the tests, not while one runs.']);
  });

  it('another test', () => {
    expect(() => it('never', () => undefined)).toThrow('it inside "another test": register it beside the tests');
    expect(() => it.each([1])('never', () => undefined)).toThrow('it inside "another test": register it beside');
  });
});
