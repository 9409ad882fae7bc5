import { join } from 'node:path';
import { createServer } from 'vite';
import { root } from '../../paths.ts';
import { Tool } from '../../run-command.ts';
import { askGateway } from './_gateway.ts';

const origin = 'http://localhost:3000'; // vite.config.ts has the port

async function shop(): Promise<void> {
  const { url: gateway, answer } = await askGateway({ origin });
  const allowed = answer.headers.get('access-control-allow-origin');
  if (allowed !== origin)
    throw new Error(`The gateway at ${gateway} does not allow ${origin}: add it to CORS_ALLOWED_ORIGINS.`);

  process.env.VITE_STORE_URL = gateway;
  const server = await createServer({ root: join(root, 'examples/shop'), clearScreen: false });
  const { port } = server.config.server;
  await server.listen().catch(async (error: Error) => {
    await server.close(); // it watches files, which keeps the process alive
    if (!error.message.includes('in use')) throw error;
    throw new Error(
      `Port ${port} is in use: stop that process. The gateway allows the shop no other port (contract 2.4).`,
    );
  });
  console.log(`The shop is on http://localhost:${port}, its store on ${gateway}. Ctrl-C stops the shop.`);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void server.close().finally(() => process.exit(0)));
}

await new Tool('make shop')
  .description('Serves the shop, examples/shop, for the running store until Ctrl-C. Changed sources reload the page.')
  .addHelpText('after', '\nEnvironment:\n  GATEWAY_URL  URL of a store other than the local one')
  .action(shop)
  .run();
