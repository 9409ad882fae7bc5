import type { ComponentChildren } from 'preact';

interface TableProps<Row> {
  columns: string[];
  rows: Row[];
  /** Shown in place of a table without rows. */
  empty?: ComponentChildren;
  keyOf: (row: Row) => string;
  /** One for each column; the first names the row. */
  cells: (row: Row) => ComponentChildren[];
}

/** A table whose cells say their column where there is no room for a head. */
export function Table<Row>({ columns, rows, empty, keyOf, cells }: TableProps<Row>) {
  if (rows.length === 0) return <>{empty}</>;
  return (
    <table>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column}>{column}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={keyOf(row)}>
            {cells(row).map((cell, index) =>
              index === 0 ? (
                <th key={columns[index]} scope="row">
                  {cell}
                </th>
              ) : (
                <td key={columns[index]} data-label={columns[index]}>
                  {cell}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
