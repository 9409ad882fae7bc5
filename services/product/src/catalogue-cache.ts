import { isDatabaseUnavailable } from '@store/shared/database/errors';
import { stateHeaders } from '@store/shared/http/precondition';
import { coalesce } from '@store/shared/values/coalesce';
import { within } from '@store/shared/values/time';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';

const requests = new Counter({
  name: 'catalogue_cache_requests_total',
  help: 'Reads of products by source: hit (cached and current), unchecked (cached, the database is unavailable), miss (database).',
  labelNames: ['result'],
});

/** Data as JSON and the version of the catalogue, both read by one statement. */
interface CatalogueRead {
  json: string;
  headers?: Record<string, string>;
  version: string;
}

type Read = () => Promise<CatalogueRead>;

interface Reply {
  json: Buffer;
  headers: Record<string, string>;
  version: string;
}

interface Entry {
  /** Undefined until the first read. */
  reply?: Reply;
  /** Reads the reply. Concurrent requests share a read. */
  renew: (read: Read) => Promise<Reply>;
}

export type CatalogueCache = ReturnType<typeof createCatalogueCache>;

/** Longer URLs are rare searches and are not cached. */
const maxUrlLength = 500;
/** Memory that an entry takes in addition to its JSON. */
const entryBytes = 1_500;
/** How long a request waits for the check of the catalogue's version before it may use a cached reply unchecked. */
const maxCheckMs = 1_000;

/**
 * Caches replies by URL, each with the version of the catalogue that it shows. Each use first checks in the database that the
 * catalogue still has this version. Waiting requests share a check, but only one that begins after they arrived. So as long as the
 * database answers, a cached reply is as current as a fresh read (contract 4.4).
 * @param maxBytes of the whole cache; 0 disables it
 * @param currentVersion reads the version from the database
 * @param maxAgeMs while the database does not answer, replies are used whose version was current this recently
 */
export function createCatalogueCache(maxBytes: number, currentVersion: () => Promise<string>, maxAgeMs = 60_000) {
  if (maxBytes === 0) return { reply: async (_url: string, read: Read) => toReply(await read()) };

  let known = { version: '', at: Number.NEGATIVE_INFINITY };
  const check = coalesce<void, { version: string; isCurrent: boolean }>(async () => {
    const at = performance.now();
    const asked = currentVersion().then((version) => {
      if (at > known.at) known = { version, at };
      return version;
    });
    const answer = await within(maxCheckMs, asked).catch((error) => {
      if (!isDatabaseUnavailable(error)) throw error;
    });
    const isKnown = answer === undefined && performance.now() - known.at < maxAgeMs;
    return isKnown ? { version: known.version, isCurrent: false } : { version: await asked, isCurrent: true };
  });
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    // A few large pages must not evict all others.
    maxEntrySize: Math.floor(maxBytes / 64),
    sizeCalculation: ({ reply }) => entryBytes + (reply?.json.length ?? 0),
  });
  /** Recently requested URLs. A reply is cached from the second request on, so that a walk through the catalogue evicts nothing. */
  const seen = new LRUCache<string, true>({ max: 5_000 });

  function createEntry(url: string): Entry {
    const entry: Entry = {
      renew: coalesce(async ([read]) => {
        const reply = toReply(await read());
        entry.reply = reply;
        entries.set(url, entry);
        return reply;
      }),
    };
    entries.set(url, entry);
    return entry;
  }

  return {
    /**
     * @param read reads the reply from the database if it is not cached or no longer current
     * @param mayBeOld false: a cached reply is not used while the database does not answer
     */
    async reply(url: string, read: Read, mayBeOld = true): Promise<Reply> {
      const entry = entries.get(url) ?? (seen.has(url) ? createEntry(url) : undefined);
      const kept = entry?.reply;
      if (kept !== undefined) {
        const { version, isCurrent } = await check();
        if (kept.version === version && (isCurrent || mayBeOld)) {
          requests.inc({ result: isCurrent ? 'hit' : 'unchecked' });
          return kept;
        }
      }
      requests.inc({ result: 'miss' });
      if (entry !== undefined) return entry.renew(read);
      if (url.length <= maxUrlLength) seen.set(url, true);
      return toReply(await read());
    },
  };
}

function toReply({ json, headers = {}, version }: CatalogueRead): Reply {
  // Not a slice of Node's buffer pool, which would keep the whole pool in memory.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  bytes.write(json);
  // The ETag covers the Link header, because a page changes when a next page appears.
  const state = stateHeaders(json + (headers.Link ?? ''));
  return { json: bytes, headers: { ...headers, ...state }, version };
}
