import { useMutation } from '@tanstack/preact-query';
import type { TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { type AnswerTo, call, Refused } from '../../api/call.ts';
import { renew } from '../../api/queries.ts';
import { Outcome } from '../../parts/parts.tsx';

export type Listed = AnswerTo<'showProducts'>['products'][number];

interface Setting {
  typed: string;
  /** The stock that the operator saw. */
  seen: number | null;
}

/**
 * Field with the available stock. Enter, or leaving the field, sets a new value; the button next to it undoes that. Escape discards the
 * typed value.
 */
export function Amount({ product: { id, name, available } }: { product: Listed }) {
  const [typing, setTyping] = useState<Setting>();
  const set = useMutation({
    scope: { id: `stock ${id}` },
    async mutationFn({ typed, seen }: Setting) {
      if (!/^\d{1,10}$/.test(typed)) throw new Error('Type a whole number from 0 to 1000000000.');
      if (seen === null) throw new Error('Inventory does not answer, so nothing was set.');
      await call('put', '/api/stock/{productId}', {
        path: { productId: id },
        body: { available: Number(typed), seen },
      });
    },
    async onSettled(_, error, { typed }) {
      await renew('products');
      // Keep what was typed since, and a refused value: its next submission applies to the stock that is now shown next to it.
      setTyping((now) => {
        if (now?.typed.trim() !== typed) return now;
        return error === null ? undefined : { ...now, seen: null };
      });
    },
  });
  const { seen, typed } = set.variables ?? {};
  const isSent = typing?.typed.trim() === typed && !set.isSuccess;

  function commit() {
    if (typing === undefined) return;
    if (typing.typed.trim() === String(available)) forget();
    else set.mutate({ typed: typing.typed.trim(), seen: typing.seen ?? available });
  }
  function forget() {
    setTyping(undefined);
    set.reset();
  }

  return (
    <form
      class="amount"
      onSubmit={(event: TargetedSubmitEvent<HTMLFormElement>) => {
        event.preventDefault();
        if (!set.isPending) commit();
      }}
    >
      <input
        inputMode="numeric"
        autoComplete="off"
        aria-label={`Stock of ${name}`}
        placeholder="not known"
        aria-busy={set.isPending}
        value={typing?.typed ?? available?.toString() ?? ''}
        onInput={({ currentTarget: { value } }) =>
          setTyping((now) => ({ typed: value, seen: now === undefined ? available : now.seen }))
        }
        onBlur={() => {
          if (!isSent) commit();
        }}
        onKeyDown={({ key }) => {
          if (key === 'Escape') forget();
        }}
      />
      {set.isPending && <span role="status">Setting…</span>}
      {set.isSuccess && typed !== undefined && (
        <button
          type="button"
          class="quiet"
          aria-label={`Undo: ${name} back to ${seen}`}
          onClick={() => set.mutate({ typed: String(seen), seen: Number(typed) })}
        >
          Undo
        </button>
      )}
      <Outcome of={set} done={`Set to ${typed}.`} />
      {isRefused(set.error) && typing !== undefined && (
        <p class="note">
          It is {available ?? 'not known'} now. Press Enter to set {typing.typed} anyway, or Escape to leave it.
        </p>
      )}
    </form>
  );
}

/** True if the stock was not the one that the operator saw. */
const isRefused = (error: Error | null) => error instanceof Refused && error.status === 409;
