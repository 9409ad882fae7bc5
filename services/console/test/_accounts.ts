import { type Answer, Reply } from './_console.ts';

export const at = '2026-05-04T12:00:00.000Z';
export const id = '7c9e6679-7425-40de-944b-e07fc1f90ae7';
export const keyId = '7c9e6679-7425-40de-944b-e07fc1f90ae8';
export const sessionId = '7c9e6679-7425-40de-944b-e07fc1f90ae9';
export const ada = { id, name: 'Ada', email: 'ada@example.com', locale: 'en', createdAt: at, confirmedAt: null };

/** An account as auth and the account service store it. */
export function anAccount() {
  const known = {
    roles: ['operator'],
    lockedAt: null as string | null,
    sessions: [{ id: sessionId, since: at, address: '192.0.2.7', userAgent: 'Mozilla/5.0 (X11; Linux x86_64)' }],
    keys: [{ id: keyId, name: 'Shipping', scopes: ['orders:read'], createdAt: at, expiresAt: at, lastUsedAt: null }],
  };
  const done = new Reply(204, '');
  const own = `/internal/accounts/${id}`;
  const auth: Answer = (method, path) => {
    const [, role = ''] = /\/roles\/(.+)$/.exec(path) ?? [];
    if (role !== '') {
      const others = known.roles.filter((one) => one !== role);
      known.roles = method === 'PUT' ? [...others, role].sort() : others;
      return { roles: known.roles };
    }
    if (path === `${own}/roles`) return { roles: known.roles };
    if (path === `${own}/lock`) {
      if (method === 'GET') return { lockedAt: known.lockedAt };
      known.lockedAt = method === 'PUT' ? at : null;
      if (method === 'PUT') Object.assign(known, { sessions: [], keys: [] });
      return done;
    }
    if (path.startsWith(`${own}/sessions`)) {
      if (method === 'GET') return known.sessions;
      known.sessions = [];
      if (path === `${own}/sessions`) known.keys = [];
      return done;
    }
    if (path === `${own}/keys`) return known.keys;
    if (path !== `${own}/keys/${keyId}` || known.keys.length === 0) return undefined;
    known.keys = [];
    return done;
  };
  const account: Answer = (_method, path) => {
    if (path === `${own}/confirmation`) return new Reply(202, '');
    if (path.startsWith('/internal/account-names')) return [{ id, name: ada.name }];
    if (!path.startsWith('/internal/accounts?')) return undefined;
    const { searchParams } = new URL(path, 'http://localhost');
    const byId = searchParams.get('id');
    if (byId !== null) return byId === id ? [ada] : [];
    const sought = searchParams.get('q') ?? '';
    const twins = sought === 'twin' ? { link: '</internal/accounts?q=twin&after=c1>; rel="next"' } : undefined;
    if (sought === 'twin' && searchParams.get('after') === 'c1') return [{ ...ada, name: 'Second twin' }];
    const isFound = sought === 'twin' || `${ada.name} ${ada.email} ${id}`.toLowerCase().includes(sought.toLowerCase());
    return new Reply(200, isFound ? [ada] : [], twins);
  };
  return { auth, account };
}
