import { useRef, useState } from 'preact/hooks';
import { sentenceOf } from './call.ts';

export interface Said {
  text: string;
  isProblem?: boolean;
}

/** Does what somebody asks for, one after the other, since each may depend on the one before. Says how the last one went. */
export function useActs() {
  const [said, setSaid] = useState<Said>();
  const [busy, setBusy] = useState(false);
  const queue = useRef(Promise.resolve());

  /** @param done is said if it succeeds */
  function act(work: () => Promise<unknown>, done?: string): void {
    setBusy(true);
    queue.current = queue.current
      .then(work)
      .then(
        () => setSaid(done === undefined ? undefined : { text: done }),
        (error) => setSaid({ text: sentenceOf(error), isProblem: true }),
      )
      .then(() => setBusy(false));
  }
  return { act, said, busy };
}
