import { useEffect, useState } from 'preact/hooks';

const shownMs = 7000;

/** A sentence that is shown for a while, and the function that says it. */
export function useAnnouncement(): [string, (sentence: string) => void] {
  const [said, setSaid] = useState({ sentence: '' });
  useEffect(() => {
    if (!said.sentence) return;
    const timer = setTimeout(() => setSaid({ sentence: '' }), shownMs);
    return () => clearTimeout(timer);
  }, [said]);
  return [said.sentence, (sentence) => setSaid({ sentence })];
}

/** Everything that it says is also on a page, so nobody has to catch it. */
export function Announcement({ sentence }: { sentence: string }) {
  return (
    <div class="announcement" role="status">
      {sentence && <p>{sentence}</p>}
    </div>
  );
}
