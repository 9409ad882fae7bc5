import { useEffect, useRef } from 'preact/hooks';

const pauseMs = 700;

/**
 * For a field: calls `onEnd` once with the final text when typing ends, by Enter, leaving the field, or a pause.
 * @param onType called for each letter
 */
export function useTyping(onEnd: (value: string) => void, onType?: (value: string) => void) {
  const typed = useRef<string>(undefined);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const last = useRef(onEnd);
  last.current = onEnd;
  useEffect(() => () => clearTimeout(timer.current), []);

  function end() {
    clearTimeout(timer.current);
    const value = typed.current;
    typed.current = undefined;
    if (value !== undefined) last.current(value.trim());
  }
  return {
    onInput({ currentTarget: { value } }: { currentTarget: HTMLInputElement }) {
      clearTimeout(timer.current);
      typed.current = value;
      timer.current = setTimeout(end, pauseMs);
      onType?.(value);
    },
    onChange: end,
  };
}
