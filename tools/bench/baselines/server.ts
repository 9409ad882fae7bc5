import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** Serves HTTP on PORT by node:http alone. */
export function serve(handle: (req: IncomingMessage, res: ServerResponse) => Promise<unknown>): void {
  const server = createServer((req, res) => {
    if (req.url === '/ready') return res.end();
    handle(req, res).catch((error) => {
      console.error(error);
      res.writeHead(500).end();
    });
  });
  server.listen(Number(process.env.PORT), '127.0.0.1');
}
