import { open } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { productImportOut } from '@store/shared/contracts/product-import';
import { Option } from 'commander';
import type { z } from 'zod';
import { sleep } from '../../../services/shared/src/values/time.ts';
import { callService, streamService } from '../../operator-client.ts';
import { Tool } from '../../run-command.ts';

type Import = z.output<typeof productImportOut>;

/** Prints a line every two seconds. */
function reporting(say: () => string) {
  const timer = setInterval(() => console.error(say()), 2_000);
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

async function upload(file: string): Promise<Import> {
  const source = file === '-' ? process.stdin : (await open(file)).createReadStream();
  let bytes = 0;
  using _ = reporting(() => `${Math.round(bytes / 1024)} KiB sent`);
  const counted = new Transform({
    transform(chunk, _encoding, done) {
      bytes += chunk.length;
      done(null, chunk);
    },
  });
  return productImportOut.parse(
    await (await streamService('product', '/internal/products/imports', source.pipe(counted))).json(),
  );
}

async function end(begun: Import): Promise<Import> {
  let job = begun;
  using _ = reporting(() => `${job.linesRead} of ${job.lines} lines read`);
  while (job.state === 'RUNNING') {
    await sleep(300);
    const path = `/internal/products/imports/${begun.id}`;
    job = (await callService({ service: 'product', path, schema: productImportOut })) ?? {
      ...job,
      state: 'INTERRUPTED',
    };
  }
  return job;
}

async function run({ file }: { file: string }): Promise<void> {
  const job = await end(await upload(file));
  for (const { line, message } of job.errors) console.error(`line ${line}: ${message}`);
  const more = job.failed - job.errors.length;
  if (more > 0) console.error(`and ${more} more lines`);
  const { created, replaced, unchanged, failed } = job;
  console.log(`${created} created, ${replaced} replaced, ${unchanged} unchanged, ${failed} failed`);
  if (job.state !== 'DONE')
    throw new Error('The import was interrupted. What it has changed stays; import the file again.');
  if (failed > 0) process.exitCode = 1;
}

await new Tool('make import')
  .usage('FILE=<path>')
  .description('Creates or replaces products of the running store by their sku.')
  .addOption(
    new Option('--file <path>', 'with a product as JSON in each line; - for standard input')
      .env('FILE')
      .makeOptionMandatory(),
  )
  .addHelpText(
    'after',
    `
A line has sku, name, price, unit and, optionally, description, images, category and taxPermille:
  {"sku":"TEA-100","name":"Tea","price":4.25,"unit":"100 g"}
A product without an optional field loses it. The first line of a sku counts. Repeating an import changes nothing.

Exit code: 0 if all lines were imported, 1 otherwise. The other lines were imported nevertheless.`,
  )
  .action(run)
  .run();
