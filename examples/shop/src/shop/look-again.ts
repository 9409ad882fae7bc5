import { useEffect, useState } from 'preact/hooks';

const everyMs = 10_000;

/** Grows when the customer comes back to the page, and every 10 s while the page waits for something and is looked at. */
export function useLookAgain(waits: boolean): number {
  const [looks, setLooks] = useState(0);
  useEffect(() => {
    const look = () => {
      if (!document.hidden) setLooks((before) => before + 1);
    };
    document.addEventListener('visibilitychange', look);
    const timer = waits ? setInterval(look, everyMs) : undefined;
    return () => {
      document.removeEventListener('visibilitychange', look);
      clearInterval(timer);
    };
  }, [waits]);
  return looks;
}
