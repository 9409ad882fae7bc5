/**
 * Keeps the session cookie in Node, whose fetch keeps none: each store is then one customer. It has no effect in a browser, which
 * keeps the cookie itself and hides it from scripts.
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
