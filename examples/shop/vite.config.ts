import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** Beside each text its compressed forms, where the server looks: no request pays for them. */
const compressed: Plugin = {
  name: 'compressed',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const [fileName, file] of Object.entries(bundle)) {
        if (!/\.(css|html|js|svg)$/.test(fileName)) continue;
        const content = file.type === 'chunk' ? file.code : file.source;
        this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotliCompressSync(content) });
        this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(content, { level: 9 }) });
      }
    },
  },
  applyToEnvironment: ({ name }) => name === 'client',
};

// For index.html and src/shop/store.ts.
process.env.VITE_STORE_URL ??= 'http://localhost:8080';

export default defineConfig({
  // Wherever it is served, at / or below a prefix of the gateway.
  base: './',
  plugins: [compressed],
  // The client of this repository from its sources; a package of a registry has none, and its compiled files are taken.
  resolve: { conditions: ['@store/source', ...defaultClientConditions] },
  // The server has no node_modules beside it.
  ssr: { noExternal: true },
  // The gateway of make run allows this origin only (contract 2.4).
  server: { host: 'localhost', port: 3000, strictPort: true },
});
