import { brotliCompressSync, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

/** Beside each text of assets/ its compressed forms, where the service looks: no request pays for them. */
const compressed: Plugin = {
  name: 'compressed',
  generateBundle: {
    order: 'post',
    handler(_options, bundle) {
      for (const [fileName, file] of Object.entries(bundle)) {
        if (!/\.(css|js|svg)$/.test(fileName)) continue;
        const content = file.type === 'chunk' ? file.code : file.source;
        this.emitFile({ type: 'asset', fileName: `${fileName}.br`, source: brotliCompressSync(content) });
        this.emitFile({ type: 'asset', fileName: `${fileName}.gz`, source: gzipSync(content, { level: 9 }) });
      }
    },
  },
};

export default defineConfig({
  root: 'pages',
  base: './',
  plugins: [compressed],
  // The policy of the pages (src/access/guard.ts) allows no data: URL.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
