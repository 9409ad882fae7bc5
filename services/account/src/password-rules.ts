import type { PasswordRules } from '@store/shared/contracts/account';
import type { AccountConfig } from './config.ts';

const maxCommon = 10_000;

/** Rules for new passwords (contract 3.5). Outside production only a configured length applies, as in the specification. */
export async function passwordRules({ APP_PROFILE, PASSWORD_MIN_LENGTH }: AccountConfig): Promise<PasswordRules> {
  if (APP_PROFILE !== 'prod') return { minLength: PASSWORD_MIN_LENGTH ?? 1, isCommon: () => false };
  // Imported only when needed, because the list takes a megabyte. The most common passwords come first.
  const { dictionary } = await import('@zxcvbn-ts/language-common');
  const common = new Set(dictionary['passwords-common'].slice(0, maxCommon));
  return { minLength: PASSWORD_MIN_LENGTH ?? 8, isCommon: (password) => common.has(password.toLowerCase()) };
}
