import { useEffect, useState } from 'preact/hooks';
import { sentenceOf } from './call.ts';

interface State<T> {
  key?: string;
  data?: T;
  problem?: string;
}

export interface Live<T> extends Omit<State<T>, 'key'> {
  /** Asks at once. */
  again(): void;
}

/**
 * Asks again and again, while somebody can see the page. After a failure the last answer stays, with the problem beside it.
 * @param key of what is asked for; another one begins anew
 * @param ask is given the last answer
 */
export function useLive<T>(key: string, ask: (before: T | undefined) => Promise<T>, everyMs = 2_000): Live<T> {
  const [state, setState] = useState<State<T>>({});
  const [version, setVersion] = useState(0);

  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last: T | undefined;
    let isAsking = false;
    async function look() {
      if (isAsking) return;
      isAsking = true;
      try {
        const data = await ask(last);
        last = data;
        if (!isOver) setState({ key, data });
      } catch (error) {
        const problem = sentenceOf(error);
        if (!isOver) setState((before) => ({ ...(before.key === key && before), key, problem }));
      }
      isAsking = false;
      if (!isOver && !document.hidden) timer = setTimeout(look, everyMs);
    }
    function turn() {
      clearTimeout(timer);
      if (!document.hidden) look();
    }
    look();
    document.addEventListener('visibilitychange', turn);
    return () => {
      isOver = true;
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', turn);
    };
  }, [key, everyMs, version]);
  const { key: _, ...current }: State<T> = state.key === key ? state : {};
  return { ...current, again: () => setVersion((before) => before + 1) };
}
