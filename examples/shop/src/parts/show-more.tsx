import { useEffect, useRef } from 'preact/hooks';
import type { Endless } from '../shop/endless.ts';

/** A button that reads the next page when it comes into view or is pressed. */
export function ShowMore({ list }: { list: Endless<unknown> }) {
  const button = useRef<HTMLButtonElement>(null);
  const waits = list.more && !list.busy && !list.error;
  useEffect(() => {
    if (!button.current || !waits) return;
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting) void list.next();
      },
      { rootMargin: '500px' },
    );
    observer.observe(button.current);
    return () => observer.disconnect();
  }, [waits, list.items.length]);

  if (!list.more || list.error) return null;
  return (
    <p class="show-more">
      <button ref={button} type="button" class="quiet" aria-disabled={list.busy} onClick={() => void list.next()}>
        {list.busy ? 'Loading…' : 'Show more'}
      </button>
    </p>
  );
}
