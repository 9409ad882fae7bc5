import { useEffect, useState } from './vendor/preact.js';

/** Shown as it is: the services' own sentences. */
export class Refused extends Error {
  constructor(status, detail) {
    super(detail);
    this.status = status;
  }
}

/** Calls the console's server. A session that has ended brings the login back. */
export async function call(method, path, body) {
  const init = { method, headers: body && { 'content-type': 'application/json' }, body: body && JSON.stringify(body) };
  const answer = await fetch(`.${path}`, init).catch(() => {
    throw new Refused(0, 'The console does not answer. Is it still forwarded?');
  });
  if (answer.ok) return answer.status === 204 ? undefined : answer.json();
  const problem = await answer.json().catch(() => ({}));
  if (answer.status === 401 && path !== '/session') dispatchEvent(new Event('session-ended'));
  throw new Refused(answer.status, problem.detail ?? `The console answered ${answer.status}.`);
}

/**
 * What a path answers, asked again and again. After a failure the last answer stays, with the problem beside it.
 * @param version asks at once when it changes
 */
export function useLive(path, { everyMs = 2_000, version = 0 } = {}) {
  const [state, setState] = useState({});
  useEffect(() => {
    if (path === undefined) {
      setState({});
      return undefined;
    }
    let isOver = false;
    let timer;
    async function ask() {
      try {
        const data = await call('GET', path);
        if (!isOver) setState({ path, data });
      } catch (error) {
        if (!isOver)
          setState((before) => ({
            path,
            data: before.path === path ? before.data : undefined,
            problem: error.message,
          }));
      }
      if (!isOver) timer = setTimeout(ask, everyMs);
    }
    ask();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [path, everyMs, version]);
  return state.path === path ? state : {};
}
