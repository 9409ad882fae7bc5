import { type Account, StoreProblem } from '@store-platform/client';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useLookAgain } from './look-again.ts';
import { forgetLastPage, lastPage } from './route.ts';
import { sentenceOf } from './sentences.ts';
import { keep, stored } from './storage.ts';
import { store } from './store.ts';
import { openChannel } from './tabs.ts';

/** A session that the store has ended. */
interface Ended {
  accountId: string;
}

export interface Session {
  /** Undefined if nobody is logged in, or that is not known. */
  account: Account | undefined;
  /** True once the store has said who is logged in, if anyone. */
  isKnown: boolean;
  /** True if the catalogue is open (contract 2.2) and no account is known to be logged in. */
  isGuest: boolean;
  /** Why the store has not said who is logged in. */
  failure: string | undefined;
  retry(): void;
  /** The previous session, until the next login. */
  ended: Ended | undefined;
  begin(account: Account): void;
  /** Records that the store has ended the session, unless another session has begun since the page was drawn. */
  end(): void;
  /** True if the answer to a password change was lost, until the next login. */
  isPasswordInDoubt: boolean;
  doubtPassword(): void;
  /** Runs an action by which the customer ends the session, such as a logout. */
  leave(act: () => Promise<unknown>): Promise<void>;
}

/** Channel by which tabs tell each other who has logged in. */
const tabs = openChannel('shop.session');

/** After this time a guest sees the catalogue even if the store has not said who is logged in: auth may be unavailable. */
const guestAfterMs = 2_000;

/** Asks the store whose cookie it is, because scripts cannot read it. */
async function whoIsLoggedIn(): Promise<Account | undefined> {
  try {
    const [account] = await store.listAccounts();
    return account;
  } catch (error) {
    if (error instanceof StoreProblem && error.status === 401) return undefined;
    throw error;
  }
}

/** Asks the gateway, which decides. Call it only if no account is known to be logged in: a token opens a closed catalogue. */
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
  /** Counts answers and requests about who is logged in, so that a late answer to an earlier request is ignored. */
  const turn = useRef(0);
  /** Another object after each login and logout, so that a late answer to a request of an earlier session does not end this one. */
  const present = useRef<{ accountId: string | undefined }>({ accountId: undefined });
  const drawnFor = present.current;
  // Kept across reloads, but only in this tab: other tabs show other pages.
  const [ended, setEnded] = useState(() => stored<Ended | null>(endedName, null, 'tab') ?? undefined);
  const [isPasswordInDoubt, setPasswordInDoubt] = useState(() => stored(doubtName, false, 'tab'));

  function show(account: Account | undefined): void {
    if (account?.id !== present.current.accountId) present.current = { accountId: account?.id };
    setAccount(account);
  }
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
    show(account);
    setOpen(isOpen);
    setKnown(true);
    setFailure(undefined);
  }
  function forget(): void {
    show(undefined);
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
    if (drawnFor !== present.current) return;
    const own = ++turn.current;
    // A logout also ends the stream of changes, perhaps before its answer comes.
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
    // From now on the cookie belongs to the other account, whatever this page shows.
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
      // If the password was changed, this session has ended.
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
