import { useEffect, useRef, useState } from 'preact/hooks';

const unwatchedMs = 60_000;

/** Calls `look` when the customer or the network returns, and at intervals while the page is visible and waits for something. */
export function useLookAgain(waits: boolean, look: () => void, everyMs = 10_000): void {
  const latest = useRef(look);
  latest.current = look;
  useEffect(() => {
    const lookIfSeen = () => {
      if (!document.hidden) latest.current();
    };
    document.addEventListener('visibilitychange', lookIfSeen);
    addEventListener('online', lookIfSeen);
    const timer = waits ? setInterval(lookIfSeen, everyMs) : undefined;
    return () => {
      document.removeEventListener('visibilitychange', lookIfSeen);
      removeEventListener('online', lookIfSeen);
      clearInterval(timer);
    };
  }, [waits, everyMs]);
}

/** Tells whether the page is visible, or was visible less than a minute ago. */
export function useIsWatched(): boolean {
  const [isWatched, setWatched] = useState(true);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const follow = () => {
      clearTimeout(timer);
      if (!document.hidden) setWatched(true);
      else timer = setTimeout(() => setWatched(false), unwatchedMs);
    };
    follow();
    document.addEventListener('visibilitychange', follow);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', follow);
    };
  }, []);
  return isWatched;
}
