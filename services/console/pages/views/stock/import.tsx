import { useMutation, useQuery } from '@tanstack/preact-query';
import type { TargetedSubmitEvent } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type AnswerTo, call } from '../../api/call.ts';
import { renew } from '../../api/queries.ts';
import { Answer, Problem } from '../../parts/parts.tsx';
import { Table } from '../../parts/table.tsx';

type Job = AnswerTo<'showImport'>;

const isOpen = (job: Job | undefined) => job?.state === 'RECEIVING' || job?.state === 'RUNNING';

/** Sends a file of products, and shows how far the import is and which lines failed. */
export function Import() {
  const [id, setId] = useState('');
  const file = useRef<HTMLInputElement>(null);
  const sending = useMutation({
    mutationFn: (lines: File) => call('post', '/api/imports', { lines }),
    // The result of the last file would be taken for that of this one.
    onMutate: () => setId(''),
    onSuccess: (job) => setId(job.id),
  });
  const job = useQuery({
    queryKey: ['import', id],
    queryFn: () => call('get', '/api/imports/{id}', { path: { id } }),
    enabled: id !== '',
    refetchInterval: ({ state: { data } }) => (data === undefined || isOpen(data) ? 500 : false),
  });
  const isEnded = job.data !== undefined && !isOpen(job.data);
  useEffect(() => {
    if (isEnded) renew('products', 'catalogue');
  }, [isEnded, id]);

  function submit(event: TargetedSubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const chosen = file.current?.files?.[0];
    if (chosen !== undefined) sending.mutate(chosen);
  }
  return (
    <details class="card">
      <summary>Import products</summary>
      <form class="actions" onSubmit={submit}>
        <label>
          File with a product as JSON in each line
          <input ref={file} type="file" required accept=".ndjson,.jsonl,.json,.txt" />
        </label>
        <button type="submit" disabled={sending.isPending || job.isLoading || isOpen(job.data)}>
          {sending.isPending ? 'Sending…' : 'Import'}
        </button>
      </form>
      <p class="note">
        A product is found by its <code>sku</code>, and created or replaced. Lines that cannot be imported are listed
        here. Repeating an import changes nothing.
      </p>
      {sending.isPending && <progress aria-label="Sending the file" />}
      <Problem text={sending.error?.message} />
      {id !== '' && <Answer of={job}>{(data) => <Progress job={data} />}</Answer>}
    </details>
  );
}

function Progress({ job }: { job: Job }) {
  const { state, lines, linesRead, created, replaced, unchanged, failed, errors } = job;
  return (
    <>
      {isOpen(job) && <progress max={lines} value={linesRead} aria-label="Lines read" />}
      <p role="status">
        {isOpen(job) && `${linesRead} of ${lines} lines read: `}
        {`${created} created, ${replaced} replaced, ${unchanged} unchanged, ${failed} failed.`}
      </p>
      {state === 'INTERRUPTED' && (
        <Problem text="The import was interrupted. What it has changed stays. Import the file again." />
      )}
      {errors.length > 0 && (
        <Table
          rows={errors}
          keyOf={({ line }) => String(line)}
          columns={{ Line: ({ line }) => line, Error: ({ message }) => <bdi>{message}</bdi> }}
        />
      )}
      {failed > errors.length && <p class="note">{failed - errors.length} more lines failed.</p>}
    </>
  );
}
