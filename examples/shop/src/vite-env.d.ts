interface ImportMetaEnv {
  /** Address of the gateway; vite.config.ts has the default. Empty means the origin of the page. */
  readonly VITE_STORE_URL: string;
  /** ISO 4217. */
  readonly VITE_STORE_CURRENCY?: string;
}
