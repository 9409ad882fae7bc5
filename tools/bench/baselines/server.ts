import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';

/** The least that answers HTTP. */
export function serve(answer: (req: IncomingMessage, res: ServerResponse) => Promise<unknown>): void {
  const server = createServer((req, res) => {
    if (req.url === '/ready') return res.end();
    answer(req, res).catch((error) => {
      console.error(error);
      res.writeHead(500).end();
    });
  });
  server.listen(Number(process.env.PORT), '127.0.0.1');
}
