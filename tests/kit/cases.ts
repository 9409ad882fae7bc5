/** Rows for `test.each` with values that are too long or unprintable. Each row starts with a short form for `%s` in the title. */
export const withShortTitles = (values: string[], length = 40): [title: string, value: string][] =>
  values.map((value) => [JSON.stringify(value).slice(1, -1).slice(0, length), value]);
