import { useEffect, useState } from 'preact/hooks';

const shownMs = 7000;

/** The sentence shown at present, and a function that shows a sentence for a while. */
export function useAnnouncement(): [string, (sentence: string) => void] {
  const [said, setSaid] = useState({ sentence: '' });
  useEffect(() => {
    if (!said.sentence) return;
    const timer = setTimeout(() => setSaid({ sentence: '' }), shownMs);
    return () => clearTimeout(timer);
  }, [said]);
  return [said.sentence, (sentence) => setSaid({ sentence })];
}

/** Shows a sentence for a while. Everything it says is also on a page, so missing it does no harm. */
export function Announcement({ sentence }: { sentence: string }) {
  return (
    <div class="announcement" role="status">
      {sentence && <p>{sentence}</p>}
    </div>
  );
}
