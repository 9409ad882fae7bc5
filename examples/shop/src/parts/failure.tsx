/** Says what went wrong; screen readers read it at once. The element is always present, so that they notice. */
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
