import { createServer } from 'node:http';

// Stands behind both gateways, so its own cost cancels out.

const body = '[]';
createServer((_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}).listen(Number(process.env.PORT), '127.0.0.1');
