/** Sentences about what has changed, read out. The place for them is always there, so that readers notice. */
export const Changes = ({ sentences }: { sentences: readonly string[] }) => (
  <div role="status" class="changes">
    {sentences.map((sentence) => (
      <p key={sentence}>{sentence}</p>
    ))}
  </div>
);
