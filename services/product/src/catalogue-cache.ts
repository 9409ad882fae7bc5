import { isDatabaseUnavailable } from '@store/shared/database/errors';
import { stateHeaders } from '@store/shared/http/precondition';
import { coalesce } from '@store/shared/values/coalesce';
import { within } from '@store/shared/values/time';
import { LRUCache } from 'lru-cache';
import { Counter } from 'prom-client';

const requests = new Counter({
  name: 'catalogue_cache_requests_total',
  help: 'Reads of products by what answered them: hit (kept, and still current), unchecked (kept, the database is away), miss (the database).',
  labelNames: ['result'],
});

/** Data that one statement has read: as JSON, with the version of the catalogue. */
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
  /** Undefined until it has been read. */
  reply?: Reply;
  /** Reads it, once for the requests that need it at the same time. */
  renew: (read: Read) => Promise<Reply>;
}

export type CatalogueCache = ReturnType<typeof createCatalogueCache>;

/** Longer ones are rare searches. */
const maxUrlLength = 500;
/** Memory that an entry takes beside its JSON. */
const entryBytes = 1_500;
/** The longest that a request waits for the check of what is kept. */
const patienceMs = 1_000;

/**
 * Keeps replies by URL, each with the version of the catalogue that it shows. Before each use the database is asked
 * whether the catalogue still has that version: once for all requests that wait, and never before they arrived. So a kept
 * reply is as current as one that is read for the request, as long as the database answers (contract 4.4).
 * @param maxBytes of all that is kept; with 0 everything is read
 * @param currentVersion asks the database
 * @param maxAgeMs what was current so lately is used while the database does not answer
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
    const answer = await within(patienceMs, asked).catch((error) => {
      if (!isDatabaseUnavailable(error)) throw error;
    });
    const isKnown = answer === undefined && performance.now() - known.at < maxAgeMs;
    return isKnown ? { version: known.version, isCurrent: false } : { version: await asked, isCurrent: true };
  });
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    // A few large pages must not drive out all others.
    maxEntrySize: Math.floor(maxBytes / 64),
    sizeCalculation: ({ reply }) => entryBytes + (reply?.json.length ?? 0),
  });
  /** Lately requested: a reply is kept from the second request on, so that a walk through the catalogue drives out nothing. */
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
     * @param read reads it from the database, if it is not kept or no longer current
     * @param mayBeOld false: what is kept is not used while the database does not answer
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
  // A buffer of its own size: a slice of Node's pool would keep all of it in memory.
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(json));
  bytes.write(json);
  // A page is another one where another follows.
  const state = stateHeaders(json + (headers.Link ?? ''));
  return { json: bytes, headers: { ...headers, ...state }, version };
}
