/** Rows for `test.each` of values that are too long or unprintable: each after a short form for the title's `%s`. */
export const withShortTitles = (values: string[], length = 40): [title: string, value: string][] =>
  values.map((value) => [JSON.stringify(value).slice(1, -1).slice(0, length), value]);
