import { accountOut, rolesOut } from '@store/shared/contracts/account';
import { roleNames } from '@store/shared/http/identity';
import { Option } from 'commander';
import { z } from 'zod';
import { callService } from '../../operator-client.ts';
import { Tool } from '../../run-command.ts';

async function grant({ email, role }: { email: string; role: string }): Promise<void> {
  const roles = role === 'none' ? [] : role.split(',');
  const path = `/internal/accounts?email=${encodeURIComponent(email)}`;
  const [account] = (await callService({ service: 'account', path, schema: z.array(accountOut) })) ?? [];
  if (account === undefined) throw new Error(`No account has the e-mail address ${email}.`);
  const change = { path: `/internal/accounts/${account.id}/roles`, body: { roles }, schema: rolesOut };
  const { roles: owned = [] } = (await callService({ service: 'auth', method: 'PUT', ...change })) ?? {};
  console.log(`${email} (${account.id}) has ${owned.length === 0 ? 'no role' : owned.join(', ')}.`);
}

await new Tool('make grant')
  .usage(`EMAIL=<address> ROLE=<${roleNames.join(' | ')} | both, comma-separated | none>`)
  .description('Sets the roles of an account of the running store; roles that are not named are removed.')
  .addOption(new Option('--email <address>', 'of the account').env('EMAIL').makeOptionMandatory())
  .addOption(new Option('--role <roles>', `${roleNames.join(', ')}, or none`).env('ROLE').makeOptionMandatory())
  .action(grant)
  .run();
