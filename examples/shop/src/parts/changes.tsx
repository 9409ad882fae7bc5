/** Sentences about changes, read out by screen readers. The element is always present, so that they notice new sentences. */
export const Changes = ({ sentences }: { sentences: readonly string[] }) => (
  <div role="status" class="changes">
    {sentences.map((sentence) => (
      <p key={sentence}>{sentence}</p>
    ))}
  </div>
);
