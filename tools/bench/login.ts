/** The cookie of a new account. */
export async function login(authUrl: string): Promise<string> {
  const post = (path: string, body: object) =>
    fetch(`${authUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  const credentials = { email: `bench-${Date.now()}@example.com`, password: 'not a secret of anybody' };
  await post('/auth/register', { name: 'Bench', ...credentials });
  const answer = await post('/auth/login', credentials);
  const [cookie] = (answer.headers.get('set-cookie') ?? '').split(';');
  if (!answer.ok || cookie === undefined) throw new Error(`The login of the bench is answered with ${answer.status}.`);
  return cookie;
}
