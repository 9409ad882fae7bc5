import { createServer } from 'node:http';

// What stands behind both gateways: its own cost is not what is measured.
const body = '[]';
createServer((_req, res) => {
  res.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length }).end(body);
}).listen(Number(process.env.PORT), '127.0.0.1');
