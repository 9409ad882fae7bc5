/**
 * Keeps the session's cookie in Node, whose fetch keeps none: one store is one customer then. In a browser, which keeps it
 * itself and hides it from scripts, this changes nothing.
 */
export function keepCookies(send: typeof fetch = fetch): typeof fetch {
  const cookies = new Map<string, string>();
  return async (input, init) => {
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined));
    if (cookies.size > 0) headers.set('cookie', Array.from(cookies, (cookie) => cookie.join('=')).join('; '));
    const response = await send(input, { ...init, headers });
    for (const line of response.headers.getSetCookie?.() ?? []) {
      const [, name = '', value = ''] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
      const hasEnded = value === '' || /;\s*max-age=(0|-\d+)\s*(;|$)/i.test(line);
      if (hasEnded) cookies.delete(name);
      else cookies.set(name, value);
    }
    return response;
  };
}
