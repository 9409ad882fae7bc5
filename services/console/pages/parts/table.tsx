import type { ComponentChildren } from 'preact';

interface TableProps<Row> {
  /** Cells by column name; the first cell names the row. */
  columns: Record<string, (row: Row) => ComponentChildren>;
  rows: Row[];
  /** Shown instead of a table without rows. */
  empty?: ComponentChildren;
  keyOf: (row: Row) => string;
}

/** A table. On narrow screens, which have no room for its head, each cell shows the name of its column. */
export function Table<Row>({ columns, rows, empty, keyOf }: TableProps<Row>) {
  if (rows.length === 0) return <>{empty}</>;
  return (
    <table>
      <thead>
        <tr>
          {Object.keys(columns).map((column) => (
            <th key={column}>{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {Object.entries(columns).map(([column, cell], index) =>
              index === 0 ? (
                <th key={column} scope="row">
                  {cell(row)}
                </th>
              ) : (
                <td key={column} data-label={column}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
