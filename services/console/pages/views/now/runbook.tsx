import { useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { Answer } from '../../parts/parts.tsx';

/** Sections of the pages of docs/runbooks as HTML, by their headings; loaded once one is opened (vite.config.ts). */
const pages = import.meta.glob<Record<string, string>>('../../../../../docs/runbooks/*.md', { import: 'default' });

async function runbookOf(alert: string): Promise<string> {
  const sections = await Promise.all(Object.values(pages).map((load) => load()));
  return sections.find((one) => Object.hasOwn(one, alert))?.[alert] ?? '';
}

/** The runbook of one of the store's alerts. */
export function Runbook({ name }: { name: string }) {
  const [isOpen, setOpen] = useState(false);
  const runbook = useQuery({
    queryKey: ['runbook', name],
    queryFn: () => runbookOf(name),
    enabled: isOpen,
    staleTime: 'static',
    refetchInterval: false,
  });
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>Runbook {name}</summary>
      {isOpen && (
        <Answer of={runbook}>{(html) => <div class="runbook" dangerouslySetInnerHTML={{ __html: html }} />}</Answer>
      )}
    </details>
  );
}
