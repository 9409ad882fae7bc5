import { type Account, StoreProblem } from '@store-platform/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { keep, kept } from './kept.ts';
import { useLookAgain } from './look-again.ts';
import { sentenceOf } from './sentences.ts';
import { store } from './store.ts';

/** A session that the store has ended, and the page that was left. */
interface Ended {
  accountId: string;
  hash: string;
}

export interface Session {
  /** Absent while nobody is logged in, or that is not known. */
  account: Account | undefined;
  /** True once the store has said who is logged in, if anybody. */
  isKnown: boolean;
  /** True if the catalogue is for everybody (contract 2.2): then who looks at it is no customer yet. */
  isOpen: boolean;
  /** Why it has not. */
  failure: string | undefined;
  retry(): void;
  /** The one before, until somebody logs in. */
  ended: Ended | undefined;
  begin(account: Account): void;
  /** Notes that the store has ended it. */
  end(): void;
  logOut(): Promise<void>;
}

/** Where tabs tell each other who has logged in. */
const tabs = new BroadcastChannel('shop.session');

/** Scripts cannot see the cookie, so the store is asked whose it is. */
async function whoIsLoggedIn(): Promise<Account | undefined> {
  try {
    const [account] = await store.listAccounts();
    return account;
  } catch (error) {
    if (error instanceof StoreProblem && error.status === 401) return undefined;
    throw error;
  }
}

/** The gateway decides, so it is asked, where nobody is logged in. */
async function isCatalogueOpen(): Promise<boolean> {
  try {
    await store.listProducts({ query: { size: 1 } });
    return true;
  } catch (error) {
    if (error instanceof StoreProblem && error.status === 401) return false;
    throw error;
  }
}

const name = 'shop.ended';

export function useSession(): Session {
  const [account, setAccount] = useState<Account>();
  const [isKnown, setKnown] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [failure, setFailure] = useState<string>();
  const isLeaving = useRef(false);
  // Also after a reload, and of this tab alone: others show other pages.
  const [ended, setEnded] = useState(() => kept<Ended | null>(name, null, sessionStorage) ?? undefined);

  function ask(): void {
    look().catch((error) => setFailure(sentenceOf(error)));
  }
  async function look(): Promise<void> {
    const account = await whoIsLoggedIn();
    setOpen(account === undefined && (await isCatalogueOpen()));
    know(account);
  }
  function know(account?: Account): void {
    setAccount(account);
    setKnown(true);
    setFailure(undefined);
  }
  function retry(): void {
    setFailure(undefined);
    ask();
  }
  function note(session: Ended | undefined): void {
    keep(name, session ?? null, sessionStorage);
    setEnded(session);
  }
  useEffect(ask, []);
  useLookAgain(failure !== undefined, () => failure && ask());
  useEffect(() => {
    // The cookie is that of the other account from now on, whatever this page shows.
    tabs.onmessage = ({ data }: MessageEvent<string>) => {
      if (data === account?.id) return;
      setAccount(undefined);
      setKnown(false);
      retry();
    };
    if (!account) return;
    isLeaving.current = false;
    if (ended) location.hash = ended.accountId === account.id ? ended.hash : '#/';
    else if (/^#.(log-in|register)/.test(location.hash)) location.hash = '#/';
    note(undefined);
  }, [account?.id]);

  return {
    account,
    isKnown,
    isOpen,
    failure,
    retry,
    ended,
    begin(account) {
      know(account);
      tabs.postMessage(account.id);
    },
    end() {
      // After a log-out the stream of changes ends, too, perhaps before the answer.
      if (account && !isLeaving.current) note({ accountId: account.id, hash: location.hash });
      else setOpen(false);
      know(undefined);
    },
    async logOut() {
      isLeaving.current = true;
      try {
        await store.logOut();
        know(undefined);
        ask();
      } catch (error) {
        isLeaving.current = false;
        throw error;
      }
    },
  };
}
