import { z } from 'zod';
import { timestamp, uuid } from '../values/fields.ts';

/** An import of products (contract 4.4). */
export const productImportOut = z
  .object({
    id: uuid,
    state: z
      .enum(['RECEIVING', 'RUNNING', 'DONE', 'INTERRUPTED'])
      .describe('`INTERRUPTED`: not all lines were read; what the import has changed stays. Send the file again.'),
    lines: z.int().describe('Lines of the file, empty ones included.'),
    linesRead: z.int().describe('Those that have been read so far.'),
    created: z.int(),
    replaced: z.int(),
    unchanged: z.int().describe('Products that were already as in the file.'),
    failed: z.int().describe('Lines that cannot be imported.'),
    errors: z
      .array(z.object({ line: z.int().describe('From 1.'), message: z.string() }))
      .describe('The first 100 failed lines, in order.'),
    createdAt: timestamp,
    endedAt: timestamp.optional(),
  })
  .meta({
    id: 'ProductImportOut',
    examples: [
      {
        id: '0b7f3f8e-52a1-4c36-9a55-8f4a1f0f6f11',
        state: 'DONE',
        lines: 3,
        linesRead: 3,
        created: 1,
        replaced: 1,
        unchanged: 0,
        failed: 1,
        errors: [{ line: 2, message: 'price: must be positive' }],
        createdAt: '2026-01-31T09:30:00.000Z',
        endedAt: '2026-01-31T09:30:01.000Z',
      },
    ],
  });
