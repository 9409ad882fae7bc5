import { html, htmlPage } from '@store/shared/http/html';
import { type AnyRoute, noStore, problem, route } from '@store/shared/http/route';
import { found } from '@store/shared/values/errors';
import { uuid } from '@store/shared/values/fields';
import { inDecimals } from '@store/shared/values/money';
import { z } from 'zod';
import type { Decide } from './actions.ts';
import type { ActionState, BuiltInActions } from './built-in-action-repository.ts';

interface Dependencies {
  actions: Pick<BuiltInActions, 'findOwn'>;
  decide: Decide;
  /** The shop's page of an order. */
  returnUrlOf(orderId: string): string;
}

const params = z.object({ orderId: uuid });
const actionOut = z.object({ orderId: uuid, state: z.string() });
const style = `body { font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 3rem auto; padding: 0 1rem }
button { font: inherit; padding: .5rem 1rem; margin-right: .5rem }`;

const sentences: Record<Exclude<ActionState, 'WAITING'>, string> = {
  APPROVED: 'You have approved the payment.',
  DECLINED: 'You have declined the payment.',
  CANCELLED: 'The payment was cancelled.',
};

/** The page on which customers approve what they pay with the built-in provider's test card that needs it, as at a bank. */
export function actionRoutes({ actions, decide, returnUrlOf }: Dependencies): AnyRoute[] {
  const find = async (accountId: string, orderId: string) =>
    found(await actions.findOwn(accountId, orderId), `action for order ${orderId}`);

  async function pageOf(accountId: string, orderId: string, prefersHtml: boolean) {
    const { state, total } = await find(accountId, orderId);
    if (!prefersHtml) return { status: 200 as const, body: { orderId, state }, headers: noStore };
    const amount = `${inDecimals(total.amount, total.currency)} ${total.currency}`;
    const decision =
      state === 'WAITING'
        ? html`<p>A test card asks whether you approve the payment of ${amount}. No money moves.</p>
<form method="post" action="action?decision=approve"><button>Approve</button></form>
<form method="post" action="action?decision=decline"><button>Decline</button></form>`
        : html`<p>${sentences[state]}</p>`;
    const body = html`<h1>Payment</h1>${decision}<p><a href="${returnUrlOf(orderId)}">Back to the order</a></p>`;
    const { page, headers } = htmlPage('Payment', style, body);
    const policy = headers['Content-Security-Policy'].replace("form-action 'none'", "form-action 'self'");
    return {
      status: 200 as const,
      body: { json: page },
      headers: { ...headers, ...noStore, 'Content-Security-Policy': policy },
    };
  }

  return [
    route({
      method: 'get',
      path: '/payments/{orderId}/action',
      identity: 'account',
      params,
      responses: { 200: { description: 'The action, as a page for people.', body: actionOut, html: true } },
      handler: ({ accountId, params: { orderId }, prefersHtml }) => pageOf(accountId, orderId, prefersHtml),
    }),
    route({
      method: 'post',
      path: '/payments/{orderId}/action',
      identity: 'account',
      params,
      query: z.object({ decision: z.enum(['approve', 'decline']) }),
      responses: {
        200: { description: 'The action is decided.', body: actionOut, html: true },
        409: problem('The action was decided before, or its order was cancelled.'),
      },
      async handler({ accountId, params: { orderId }, query: { decision }, prefersHtml }) {
        await find(accountId, orderId);
        await decide(orderId, decision === 'approve' ? 'APPROVED' : 'DECLINED');
        return pageOf(accountId, orderId, prefersHtml);
      },
    }),
  ];
}
