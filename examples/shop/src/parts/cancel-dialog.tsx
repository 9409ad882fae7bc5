import type { RefObject } from 'preact';
import { useState } from 'preact/hooks';
import { useShop } from '../shop/context.ts';
import { Failure } from './failure.tsx';

interface Props {
  dialog: RefObject<HTMLDialogElement | null>;
  onCancel(): Promise<void>;
}

/** Asks for confirmation before it cancels an order. */
export function CancelDialog({ dialog, onCancel }: Props) {
  const { explain } = useShop();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function cancel(): Promise<void> {
    if (busy) return;
    setBusy(true);
    setFailure(undefined);
    try {
      await onCancel();
      dialog.current?.close();
    } catch (error) {
      setFailure(explain(error));
    } finally {
      setBusy(false);
    }
  }

  return (
    <dialog ref={dialog} aria-labelledby="cancel-title" onClose={() => setFailure(undefined)}>
      <h2 id="cancel-title">Cancel this order?</h2>
      <p>Reserved stock is released, and anything you have paid is refunded.</p>
      <Failure sentence={failure} />
      <div class="dialog-foot">
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          Keep it
        </button>
        <button type="button" class="grave" aria-disabled={busy} onClick={() => void cancel()}>
          {busy ? 'One moment…' : 'Yes, cancel it'}
        </button>
      </div>
    </dialog>
  );
}
