import { DomainError, unavailable } from '@store/shared/values/errors';
import { parseLines } from './import-lines.ts';
import type { ImportRepository } from './import-repository.ts';
import { partsOf } from './part-splitter.ts';

/** Bodies that a process receives at a time. */
const maxReceiving = 3;
/** Each has a row of its own, if only to be empty. */
const maxLines = 1_000_000;

export type Imports = ReturnType<typeof createImports>;

export function createImports(repository: ImportRepository) {
  let receiving = 0;

  async function store(id: string, body: AsyncIterable<Buffer>): Promise<void> {
    let [part, lines] = [0, 0];
    for await (const one of partsOf(body)) {
      lines += one.lineCount;
      if (lines > maxLines) throw new DomainError('tooLarge', `The body has more than ${maxLines} lines.`);
      await repository.add(id, part, one);
      part += 1;
    }
    if (lines === 0) throw new DomainError('invalid', 'The body is missing.');
  }

  return {
    /**
     * Stores the lines of an import as fast as the database takes them, then lets it begin. A body that does not arrive as a whole
     * changes nothing.
     * @returns the import as JSON
     * @throws DomainError rateLimited, unavailable, tooLarge, invalid
     */
    async receive(actor: string, body: AsyncIterable<Buffer>): Promise<{ id: string; json: string }> {
      if (receiving >= maxReceiving)
        throw new DomainError('unavailable', 'Too many imports are being received. Try again shortly.', {
          code: 'overloaded',
          retryAfterSeconds: 5,
        });
      receiving += 1;
      try {
        const id = await repository.open(actor);
        try {
          await store(id, body);
          const json = await repository.begin(id);
          if (json === undefined) throw unavailable('The import');
          return { id, json };
        } catch (error) {
          // Otherwise it is ended as lost.
          await repository.drop(id).catch(() => undefined);
          throw error;
        }
      } finally {
        receiving -= 1;
      }
    },
    find: repository.find,
    /** Imports a part. @returns true if there may be more */
    importNext: async (): Promise<boolean> => (await repository.next(parseLines)) !== undefined,
  };
}
