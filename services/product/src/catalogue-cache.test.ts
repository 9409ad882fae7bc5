import { setTimeout as wait } from 'node:timers/promises';
import { deferred } from '../../../tests/kit/deferred.ts';
import { createCatalogueCache } from './catalogue-cache.ts';

const url = '/products';
const read = (version: string) => async () => ({ json: `"${version}"`, headers: {}, version });

it('a request does not use what a read of before has put in the place of the reply that was checked for it', async () => {
  const [check, slow] = [deferred(), deferred()];
  const cache = createCatalogueCache(2 ** 20, async () => {
    await check.promise;
    return 'new';
  });
  await cache.reply(url, read('old')); // from now on it is kept
  const readBefore = cache.reply(url, async () => {
    await slow.promise;
    return read('old')();
  });
  await wait(); // it begins
  await cache.reply(url, read('new'));

  const reply = cache.reply(url, read('unused'));
  slow.resolve();
  await readBefore;
  check.resolve();
  expect((await reply).json.toString()).toBe('"new"');
});
