/** Sends an API key where a session's token would be. */
export const withApiKey =
  (key: string, send: typeof fetch): typeof fetch =>
  (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('cookie', `__store_jwt_token=${key}`);
    return send(input, { ...init, headers });
  };
