import { type Account, StoreProblem } from '@store-platform/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { keep, kept } from './kept.ts';
import { useLookAgain } from './look-again.ts';
import { forgetLastPage, lastPage } from './route.ts';
import { sentenceOf } from './sentences.ts';
import { store } from './store.ts';
import { openChannel } from './tabs.ts';

/** A session that the store has ended. */
interface Ended {
  accountId: string;
}

export interface Session {
  /** Absent while nobody is logged in, or that is not known. */
  account: Account | undefined;
  /** True once the store has said who is logged in, if anybody. */
  isKnown: boolean;
  /** True if the catalogue can be read (contract 2.2) and nobody is known to be logged in: whoever looks at it is a guest. */
  isGuest: boolean;
  /** Why it has not. */
  failure: string | undefined;
  retry(): void;
  /** The one before, until somebody logs in. */
  ended: Ended | undefined;
  begin(account: Account): void;
  /** Notes that the store has ended it. */
  end(): void;
  /** True if the answer to a change of the password was lost, until somebody logs in. */
  isPasswordInDoubt: boolean;
  doubtPassword(): void;
  /** Runs what ends the session as the customer wants it, such as a log-out. */
  leave(act: () => Promise<unknown>): Promise<void>;
}

/** Where tabs tell each other who has logged in. */
const tabs = openChannel('shop.session');

/** After that a guest sees the catalogue, although the store has not yet said who is logged in: auth may be away. */
const guestAfterMs = 2_000;

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

/** The gateway decides, so it is asked, where nobody is logged in, or nobody says who is: then a token opens the catalogue, too. */
async function isCatalogueOpen(): Promise<boolean> {
  try {
    await store.listProducts({ query: { size: 1 } });
    return true;
  } catch (error) {
    if (error instanceof StoreProblem && error.status === 401) return false;
    throw error;
  }
}

const endedName = 'shop.ended';
const doubtName = 'shop.password-in-doubt';

export function useSession(): Session {
  const [account, setAccount] = useState<Account>();
  const [isKnown, setKnown] = useState(false);
  const [isOpen, setOpen] = useState(false);
  const [failure, setFailure] = useState<string>();
  const isLeaving = useRef(false);
  /** Counts what is known or asked about who is logged in: an answer to an earlier question is old. */
  const turn = useRef(0);
  // Also after a reload, and of this tab alone: others show other pages.
  const [ended, setEnded] = useState(() => kept<Ended | null>(endedName, null, 'tab') ?? undefined);
  const [isPasswordInDoubt, setPasswordInDoubt] = useState(() => kept(doubtName, false, 'tab'));

  function ask(): void {
    const own = ++turn.current;
    look(own).catch((error) => own === turn.current && setFailure(sentenceOf(error)));
  }
  async function look(own: number): Promise<void> {
    const open = () =>
      isCatalogueOpen().then(
        (isOpen) => own === turn.current && setOpen(isOpen),
        () => undefined,
      );
    const timer = setTimeout(open, guestAfterMs);
    const account = await whoIsLoggedIn();
    clearTimeout(timer);
    know(own, account, account === undefined && (await isCatalogueOpen()));
  }
  function know(own: number, account: Account | undefined, isOpen: boolean): void {
    if (own !== turn.current) return;
    setAccount(account);
    setOpen(isOpen);
    setKnown(true);
    setFailure(undefined);
  }
  function forget(): void {
    setAccount(undefined);
    setOpen(false);
    setKnown(false);
  }
  function retry(): void {
    setFailure(undefined);
    ask();
  }
  function doubtPassword(isInDoubt: boolean): void {
    keep(doubtName, isInDoubt, 'tab');
    setPasswordInDoubt(isInDoubt);
  }
  function note(session: Ended | undefined): void {
    keep(endedName, session ?? null, 'tab');
    setEnded(session);
  }
  function end(): void {
    const own = ++turn.current;
    // After a log-out the stream of changes ends, too, perhaps before the answer.
    if (account && !isLeaving.current) note({ accountId: account.id });
    forget();
    isCatalogueOpen().then(
      (isOpen) => know(own, undefined, isOpen),
      () => know(own, undefined, false),
    );
  }

  useEffect(ask, []);
  useLookAgain(failure !== undefined, () => failure && ask());
  useEffect(() => {
    // The cookie is that of the other account from now on, whatever this page shows.
    const follow = ({ data }: MessageEvent<string>) => {
      if (data === account?.id) return;
      forget();
      retry();
    };
    tabs?.addEventListener('message', follow);
    return () => tabs?.removeEventListener('message', follow);
  }, [account?.id]);
  useEffect(() => {
    if (!account) return;
    isLeaving.current = false;
    doubtPassword(false);
    if (ended && ended.accountId !== account.id) location.hash = '#/';
    else if (/^#.(log-in|register)/.test(location.hash)) location.hash = lastPage();
    note(undefined);
  }, [account?.id]);

  return {
    account,
    isKnown,
    isGuest: !account && isOpen,
    failure,
    retry,
    ended,
    begin(account) {
      know(++turn.current, account, false);
      tabs?.postMessage(account.id);
    },
    end,
    isPasswordInDoubt,
    doubtPassword() {
      doubtPassword(true);
      // If it is changed, this session has ended, too.
      whoIsLoggedIn().then(
        (who) => who ?? end(),
        () => undefined,
      );
    },
    async leave(act) {
      isLeaving.current = true;
      try {
        await act();
        forgetLastPage();
        know(++turn.current, undefined, false);
        ask();
      } catch (error) {
        isLeaving.current = false;
        throw error;
      }
    },
  };
}
