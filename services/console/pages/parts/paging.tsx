/** An address, or a function that shows the page; undefined if there is no such page. */
type Step = string | (() => void) | undefined;

const Way = ({ to, text }: { to: Step; text: string }) => {
  if (to === undefined) return null;
  if (typeof to === 'string') return <a href={to}>{text}</a>;
  return (
    <button type="button" class="quiet" onClick={to}>
      {text}
    </button>
  );
};

/** Links from a page of a list to the first and the next page. */
export const Paging = ({ first, next }: { first: Step; next: Step }) =>
  first === undefined && next === undefined ? null : (
    <div class="actions">
      <Way to={first} text="First page" />
      <Way to={next} text="Next page" />
    </div>
  );
