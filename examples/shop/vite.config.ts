import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** Writes each text of the pages compressed beside itself, where the server looks: no request pays for it. */
function compressed(): Plugin {
  return {
    name: 'compressed',
    async writeBundle({ dir = '' }) {
      const names = (await readdir(dir, { recursive: true })).filter((name) => /\.(css|html|js|svg)$/.test(name));
      for (const file of names.map((name) => join(dir, name))) {
        const text = await readFile(file);
        await writeFile(`${file}.br`, brotliCompressSync(text));
        await writeFile(`${file}.gz`, gzipSync(text, { level: 9 }));
      }
    },
    applyToEnvironment: ({ name }) => name === 'client',
  };
}

// For index.html and src/shop/store.ts.
process.env.VITE_STORE_URL ??= 'http://localhost:8080';

export default defineConfig({
  // Wherever it is served, at / or below a prefix of the gateway.
  base: './',
  plugins: [compressed()],
  // The client of this repository from its sources; a package of a registry has none, and its compiled files are taken.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  // The server has no node_modules beside it.
  ssr: { noExternal: true },
  // The gateway of make run allows this origin only (contract 2.4).
  server: { host: 'localhost', port: 3000, strictPort: true },
});
