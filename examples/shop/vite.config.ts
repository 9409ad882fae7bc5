import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** Writes compressed files next to each text file, where the server finds them, so no request waits for compression. */
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
  // Works at / and below a prefix of the gateway.
  base: './',
  plugins: [compressed],
  // Uses the sources of this repository's client. A package from a registry has none, so its compiled files are used.
  resolve: { conditions: ['@store/source', ...defaultClientConditions] },
  // The built server runs without node_modules.
  ssr: { noExternal: true },
  // The gateway of make run allows this origin only (contract 2.4).
  server: { host: 'localhost', port: 3000, strictPort: true },
});
