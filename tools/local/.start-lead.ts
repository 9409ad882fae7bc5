import { startStore } from '/tmp/w/lead/tools/local/store.ts';

const options = { dir: '/tmp/lead/startdir', ports: 'free' as const };

import { existsSync, readFileSync } from 'node:fs';

if (!existsSync(options.dir)) await (await startStore(options)).stop();
for (let i = 0; i < 2; i++) {
  const began = Date.now();
  const store = await startStore({ ...options, log: (l) => console.log(l) });
  console.log('READY', (Date.now() - began) / 1000);
  for (const n of [
    'auth',
    'account',
    'product',
    'order',
    'order-worker',
    'inventory',
    'payment',
    'notification',
    'status',
    'kafka',
    'postgres',
    'gateway',
  ] as const) {
    const f = readFileSync(`/proc/${store.part(n).pid()}/stat`, 'utf8').split(' ');
    console.log(n, 'cpu', (Number(f[13]) + Number(f[14])) / 100);
  }
  await store.stop();
}
process.exit(0);
