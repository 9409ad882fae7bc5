import { defaultClientConditions, defineConfig } from 'vite';

export default defineConfig({
  // Wherever it is served, at / or below a prefix of the gateway.
  base: './',
  // The client of this repository from its sources; a package of a registry has none, and its compiled files are taken.
  resolve: { conditions: ['source', ...defaultClientConditions] },
  // The server has no node_modules beside it.
  ssr: { noExternal: true },
  // The gateway of make run allows this origin only (contract 2.4).
  server: { host: 'localhost', port: 3000, strictPort: true },
});
