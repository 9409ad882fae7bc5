import { type OperationId, OutcomeUnknown, StoreProblem } from '@store-platform/client';

const byCode: Record<string, string> = {
  'email-taken': 'An account with this e-mail address already exists. Log in instead.',
  'invalid-token': 'This link is no longer valid. Ask for a new one.',
  'wrong-password': 'The current password is wrong.',
  'email-not-confirmed': 'Confirm your e-mail address first: follow the link in the mail to it. Nothing was ordered.',
  'price-changed': 'Prices have changed, so nothing was ordered. Check the new total, then order again.',
  'payment-required': 'Nothing was ordered: choose what you pay with, then order again.',
  'order-shipped': 'The order has been shipped, so it can no longer be cancelled.',
  'unknown-product': 'A product is no longer sold, so nothing was ordered. Check your basket, then order again.',
  'idempotency-key-reused': 'Your earlier order had arrived after all. Check your orders before you order again.',
  'idempotency-key-in-use': 'Your order is still being placed. Try again in a moment.',
};

/** Such as `2 pieces`. */
export const piecesOf = (count: number): string => (count === 1 ? '1 piece' : `${count} pieces`);

/** Isolates a right-to-left name so that it does not reorder the sentence around it (Unicode TR9, isolates). */
export const isolated = (name: string): string => (rightToLeft.test(name) ? `\u2068${name}\u2069` : name);

/** Hebrew, Arabic and their neighbours, and their presentation forms. */
const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;

/** The last part of a problem's type, such as `email-taken`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof StoreProblem ? error.type.split(/[:/#]/).at(-1) : undefined;

const passwordInDoubt =
  'The answer was lost, so your password may have been changed. Log in with the new password or, if that is wrong, with the old one.';

/** Sentences for changes whose answers were lost, by operation. */
export const inDoubt = {
  changePassword: passwordInDoubt,
  confirmPasswordReset: passwordInDoubt,
  register: 'The answer was lost, so you may be registered already. Try to log in.',
  deleteAccount:
    'The answer was lost, so your account may have been deleted. Try again. If you are logged out, try to log in: if that fails, your account is deleted.',
} satisfies { [Id in OperationId]?: string };

/** Tells a customer what went wrong. */
export function sentenceOf(error: unknown): string {
  const lost = error instanceof OutcomeUnknown ? (inDoubt as Record<string, string>)[error.operation] : undefined;
  if (lost) return lost;
  if (!(error instanceof StoreProblem)) return 'The store does not respond. Check your connection, then try again.';
  const known = byCode[codeOf(error) ?? ''];
  if (known) return known;
  if (error.status === 429) return `Too many attempts. Try again ${inWords(error.retryAfterMs)}.`;
  if (error.status >= 500) return 'The store has a problem at the moment. Try again in a minute.';
  return error.message;
}

const inWords = (ms = 60_000) =>
  ms < 90_000 ? `in ${Math.ceil(ms / 1000)} seconds` : `in ${Math.ceil(ms / 60_000)} minutes`;

/** Says what is wrong with the fields of a form, by field name. @param labels of the fields, by name */
export function fieldErrorsOf(error: unknown, labels: Record<string, string>): Record<string, string> {
  if (!(error instanceof StoreProblem)) return {};
  if (codeOf(error) === 'email-taken') return { email: sentenceOf(error) };
  const named = error.errors.map(({ path, message }) => [path.replace(/^body\./, ''), message] as const);
  return Object.fromEntries(
    named.flatMap(([name, message]) => (labels[name] ? [[name, fieldSentence(labels[name], message)]] : [])),
  );
}

/** @param message the store's end of a sentence that begins with the field, such as `is required` */
const fieldSentence = (label: string, message: string) =>
  message === 'must be an e-mail address'
    ? 'This is not an e-mail address. One looks like ada@example.com.'
    : `The ${label.toLowerCase()} ${message}.`;

/** Sentences that ask for the empty fields, by field name. */
export const missingOf = (values: Record<string, string>, labels: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) =>
      value ? [] : [[name, `Enter your ${labels[name]?.toLowerCase()}.`]],
    ),
  );
