import { chmodSync, mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Returns an empty folder for this test file. It is removed after the tests, and after the hooks registered before this call. */
export function useFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'store-test-'));
  chmodSync(dir, 0o711); // started by root, PostgreSQL runs as another user
  afterAll(() => rm(dir, { recursive: true, force: true }));
  return dir;
}
