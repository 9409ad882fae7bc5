import { createReceiver } from './receiver.ts';

const { WEBHOOK_SECRET: secret, PORT = '4000' } = process.env;
if (secret === undefined) throw new Error('Set WEBHOOK_SECRET to the secret that POST /webhooks has returned.');

const { app } = createReceiver(secret, ({ order: { id, status }, sequence }, type) =>
  console.log(`${type}: the order ${id} is ${status} (${sequence})`),
);
app.listen(Number(PORT), () => console.log(`http://127.0.0.1:${PORT}/store receives what happens to orders`));
