import { accountOut, rolesOut } from '@store/shared/contracts/account';
import { createHttpClient } from '@store/shared/http/client';
import { roleNames } from '@store/shared/http/identity';
import { Command, Option } from 'commander';
import { z } from 'zod';
import { runCommand } from '../../run-command.ts';
import { localUrl } from '../components/services.ts';
import { fixedPorts } from '../ports.ts';

const ports = fixedPorts();
const problemOut = z.object({ detail: z.string() });

/** Calls an internal path with the credential of an operator (contract 3.7). */
async function call<T>(service: string, method: 'GET' | 'PUT', path: string, schema: z.ZodType<T>, body?: object) {
  const client = createHttpClient({
    service,
    baseUrl: localUrl(ports.of(service)),
    timeoutMs: 10_000,
    credential: process.env.OPERATOR_CREDENTIAL || undefined,
  });
  const answer = await client.call(method, path, { body });
  if (answer.status >= 400) throw new Error(problemOut.parse(answer.body).detail);
  return schema.parse(answer.body);
}

async function grant({ email, role }: { email: string; role: string }): Promise<void> {
  const roles = role === 'none' ? [] : role.split(',');
  const query = `?email=${encodeURIComponent(email)}`;
  const [account] = await call('account', 'GET', `/internal/accounts${query}`, z.array(accountOut));
  if (account === undefined) throw new Error(`No account has the e-mail address ${email}.`);
  const { roles: owned } = await call('auth', 'PUT', `/internal/accounts/${account.id}/roles`, rolesOut, { roles });
  console.log(`${email} (${account.id}) has ${owned.length === 0 ? 'no role' : owned.join(', ')}.`);
}

const command = new Command('make grant')
  .usage(`EMAIL=<address> ROLE=<${roleNames.join(' | ')} | both, comma-separated | none>`)
  .description('Gives an account of the running store its roles, in place of those that it has.')
  .addOption(new Option('--email <address>', 'of the account').env('EMAIL').makeOptionMandatory())
  .addOption(new Option('--role <roles>', `${roleNames.join(', ')}, or none`).env('ROLE').makeOptionMandatory())
  .action(grant);

await runCommand(command);
