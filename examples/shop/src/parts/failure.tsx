/** A sentence about what went wrong, read out at once. The place for it is always there, so that readers notice. */
export function Failure({ sentence, onRetry }: { sentence: string | undefined; onRetry?: () => void }) {
  return (
    <div role="alert">
      {sentence && (
        <div class="failure">
          <p>{sentence}</p>
          {onRetry && (
            <button type="button" class="quiet" onClick={onRetry}>
              Try again
            </button>
          )}
        </div>
      )}
    </div>
  );
}
