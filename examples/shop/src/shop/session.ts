import { type Account, StoreProblem } from '@store-platform/client';
import { useEffect, useState } from 'preact/hooks';
import { sentenceOf } from './sentences.ts';
import { store } from './store.ts';

export interface Session {
  /** Absent while nobody is logged in, or that is not known. */
  account: Account | undefined;
  /** Whether the store has said who is logged in, if anybody. */
  isKnown: boolean;
  /** Why it has not. */
  failure: string | undefined;
  retry(): void;
  begin(account: Account): void;
  /** Notes that it has ended. */
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

export function useSession(): Session {
  const [account, setAccount] = useState<Account>();
  const [isKnown, setKnown] = useState(false);
  const [failure, setFailure] = useState<string>();

  function ask(): void {
    setFailure(undefined);
    whoIsLoggedIn().then(know, (error) => setFailure(sentenceOf(error)));
  }
  function know(account?: Account): void {
    setAccount(account);
    setKnown(true);
  }
  useEffect(ask, []);
  useEffect(() => {
    // The cookie is that of the other account from now on, whatever this page shows.
    tabs.onmessage = ({ data }: MessageEvent<string>) => {
      if (data === account?.id) return;
      setAccount(undefined);
      setKnown(false);
      ask();
    };
  }, [account?.id]);

  return {
    account,
    isKnown,
    failure,
    retry: ask,
    begin(account) {
      know(account);
      tabs.postMessage(account.id);
    },
    end: () => know(undefined),
    async logOut() {
      await store.logOut();
      know(undefined);
    },
  };
}
