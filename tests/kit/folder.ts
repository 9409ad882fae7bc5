import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns an empty folder of this test file, which is removed after its tests. */
export function useFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'store-test-'));
  afterAll(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
