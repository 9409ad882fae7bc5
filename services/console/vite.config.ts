import { readFile } from 'node:fs/promises';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { Marked } from 'marked';
import { defineConfig, type Plugin } from 'vite';

/** Writes compressed files next to each text file in assets/, where the service finds them, so no request waits for compression. */
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

/** Drops relative links, since the console has no other pages of the documents. */
const markdown = new Marked({
  renderer: {
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens);
      return /^https:/.test(href) ? `<a href="${href}">${text}</a>` : text;
    },
  },
});

/** Imports a Markdown file as its sections in HTML, by heading. */
const runbooks: Plugin = {
  name: 'runbooks',
  async load(id) {
    const [path = ''] = id.split('?');
    if (!path.endsWith('.md')) return undefined;
    const sections = (await readFile(path, 'utf8')).split(/^## /m).slice(1);
    const pages = sections.map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return [heading, markdown.parse(lines.join('\n'), { async: false })];
    });
    return `export default ${JSON.stringify(Object.fromEntries(pages))}`;
  },
};

export default defineConfig({
  root: 'pages',
  base: './',
  plugins: [runbooks, compressed],
  // The policy of the pages (src/access/guard.ts) allows no data: URL.
  build: { assetsInlineLimit: 0, modulePreload: { polyfill: false } },
});
