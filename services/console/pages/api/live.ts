import { useEffect, useState } from 'preact/hooks';
import { sentenceOf } from './call.ts';

interface State<T> {
  key?: string;
  data?: T;
  problem?: string;
}

/**
 * What is asked for again and again. After a failure the last answer stays, with the problem beside it.
 * @param key of what is asked for; another one begins anew
 * @param ask is given the last answer
 * @param version asks at once when it changes
 */
export function useLive<T>(
  key: string,
  ask: (before: T | undefined) => Promise<T>,
  { everyMs = 2_000, version = 0 } = {},
): { data?: T; problem?: string } {
  const [state, setState] = useState<State<T>>({});

  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let last: T | undefined;
    async function look() {
      try {
        const data = await ask(last);
        last = data;
        if (!isOver) setState({ key, data });
      } catch (error) {
        const problem = sentenceOf(error);
        if (!isOver) setState((before) => ({ ...(before.key === key && before), key, problem }));
      }
      if (!isOver) timer = setTimeout(look, everyMs);
    }
    look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key, everyMs, version]);
  return state.key === key ? state : {};
}
