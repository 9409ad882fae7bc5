import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Option } from 'commander';
import { streamService } from '../../operator-client.ts';
import { Tool } from '../../run-command.ts';

async function run({ file }: { file: string }): Promise<void> {
  const answer = await streamService('product', '/internal/products/export');
  let lines = 0;
  const timer = setInterval(() => console.error(`${lines} products written`), 2_000);
  try {
    await pipeline(
      Readable.fromWeb(answer.body as never),
      async function* (chunks: AsyncIterable<Buffer>) {
        for await (const chunk of chunks) {
          for (const byte of chunk) if (byte === 0x0a) lines += 1;
          yield chunk;
        }
      },
      file === '-' ? process.stdout : createWriteStream(file),
    );
  } finally {
    clearInterval(timer);
  }
  console.error(`${lines} products written`);
}

await new Tool('make export')
  .usage('FILE=<path>')
  .description('Writes the products of the running store that have a sku, a line each, as make import reads them.')
  .addOption(new Option('--file <path>', 'to write; - for standard output').env('FILE').makeOptionMandatory())
  .action(run)
  .run();
