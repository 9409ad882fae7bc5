import type { ComponentChildren } from 'preact';

interface TableProps<Row> {
  /** Cells by the names of their columns; the first one names the row. */
  columns: Record<string, (row: Row) => ComponentChildren>;
  rows: Row[];
  /** Shown in place of a table without rows. */
  empty?: ComponentChildren;
  keyOf: (row: Row) => string;
}

/** A table whose cells say their column where there is no room for a head. */
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
