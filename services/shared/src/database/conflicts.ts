import { isConflict } from './errors.ts';

/** When many transactions change one row, one succeeds in each attempt. The last failure becomes a 503. */
export const maxAttempts = 10;

/** Repeats a transaction that PostgreSQL rolled back because of another transaction (SQLSTATE 40001, 40P01). */
export async function repeatOnConflict<Result>(transact: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await transact();
    } catch (error) {
      if (attempt >= maxAttempts || !isConflict(error)) throw error;
    }
  }
}
