/** The page for an unknown address. */
export const MissingPage = () => (
  <div class="empty">
    <h1 tabIndex={-1}>There is no such page</h1>
    <p>The address may be mistyped, or the page may be gone.</p>
    <p>
      <a class="button" href="#/">
        Look at the catalogue
      </a>
    </p>
  </div>
);
