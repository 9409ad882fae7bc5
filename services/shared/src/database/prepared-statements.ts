/**
 * Names under which statements stay prepared on a connection: parsing and planning are a good part of what a short
 * statement costs. Only the first `limit` statements get a name, because every sort order is a statement of its own and
 * each prepared one occupies memory for the life of the connection. The rest get '' and are not prepared.
 */
export function createStatementNames(limit = 100): (query: { sql: string }) => string {
  const names = new Map<string, string>();
  return ({ sql }) => {
    if (!names.has(sql) && names.size < limit) names.set(sql, `s${names.size}`);
    return names.get(sql) ?? '';
  };
}
