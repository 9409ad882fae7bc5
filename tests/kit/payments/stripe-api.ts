import { asForm, asList, asText, asTexts, type Form } from './form.ts';
import { missing, type StripeAccount, StripeError } from './stripe-account.ts';
import type { ProviderCall } from './stripe-faults.ts';

export interface ApiRequest {
  method: string;
  path: string;
  /** Of the query or the body. */
  form: Form;
}

/** How the next refund ends, for an order. */
export type RefundMode = (orderId: string) => 'at once' | 'later';

/** The requests of Stripe's API that a shop needs. Others are 404, as an unknown URL is there. */
export function createStripeApi(account: StripeAccount, refundMode: RefundMode) {
  const orderIn = ({ metadata }: Form) => asText(asForm(metadata).orderId);

  /** `orderId` of a search such as `metadata['orderId']:'…'`. */
  const searched = (query: string | undefined) =>
    /^metadata\[["']orderId["']\]:["']([^"']+)["']$/.exec(query ?? '')?.[1];

  /** What a request is about, before anything happens. */
  function callOf({ method, path, form }: ApiRequest): ProviderCall {
    const [, , collection, id = '', action] = path.split('/');
    if (collection === 'payment_intents') {
      if (id === 'search') return { operation: 'search', orderId: searched(asText(form.query)) };
      if (id === '')
        return method === 'POST'
          ? { operation: 'create', orderId: orderIn(form) }
          : { operation: 'list', orderId: undefined };
      const orderId = account.orderOf(id);
      if (action === 'confirm' || action === 'cancel') return { operation: action, orderId };
      return { operation: 'read', orderId };
    }
    const intentId = asText(form.payment_intent);
    const orderId = intentId === undefined ? undefined : account.orderOf(intentId);
    if (collection === 'refunds' && method === 'POST') return { operation: 'refund', orderId };
    return orderId === undefined && id === '' ? { operation: 'list', orderId } : { operation: 'read', orderId };
  }

  async function carryOut({ method, path, form }: ApiRequest): Promise<unknown> {
    const [, version, collection = '', id = '', action] = path.split('/');
    if (version !== 'v1') throw unknownUrl(method, path);
    const expand = asList(form.expand);
    const intentId = asText(form.payment_intent);
    switch (
      `${method} ${collection}${id === '' ? '' : id === 'search' ? '/search' : '/:id'}${action ? `/${action}` : ''}`
    ) {
      case 'POST payment_intents':
        return account.create(Number(asText(form.amount)), asText(form.currency) ?? '', asTexts(form.metadata));
      case 'POST payment_intents/:id/confirm':
        return account.confirm(id, asText(form.payment_method) ?? '', asText(form.return_url));
      case 'POST payment_intents/:id/cancel':
        return account.cancel(id);
      case 'GET payment_intents/:id':
        return account.read(id, expand);
      case 'GET payment_intents/search': {
        const orderId = searched(asText(form.query));
        if (orderId === undefined)
          throw new StripeError(400, { message: 'We were unable to parse your search query.' });
        const data = await account.readAll(account.intentsOf(orderId));
        return { object: 'search_result', url: path, has_more: false, next_page: null, data: data.reverse() };
      }
      case 'GET payment_intents':
        return pageOf(path, form, await account.readAll(account.intentIds().reverse()));
      case 'POST refunds': {
        if (intentId === undefined) throw new StripeError(400, { message: 'Missing required param: payment_intent.' });
        const amount = asText(form.amount);
        const { refund, refundLater, orderOf } = account;
        const make = refundMode(orderOf(intentId) ?? '') === 'later' ? refundLater : refund;
        return make(intentId, amount === undefined ? undefined : Number(amount), asTexts(form.metadata));
      }
      case 'GET refunds/:id':
        return account.readRefund(id);
      case 'GET refunds':
        return pageOf(path, form, account.refundsOf(intentId));
      case 'GET charges/:id':
        return account.readCharge(id);
      case 'GET charges':
        return pageOf(path, form, account.chargesOf(intentId));
      case 'GET disputes/:id':
        return account.readDispute(id);
      case 'GET disputes':
        return pageOf(path, form, account.disputesOf(intentId));
      case 'GET events': {
        const types = new Set([...asList(form.types), ...asList(form.type)]);
        const matches = (type: string) =>
          types.size === 0 ||
          types.has(type) ||
          [...types].some((one) => one.endsWith('*') && type.startsWith(one.slice(0, -1)));
        return pageOf(path, form, account.events.toReversed(), ({ type }) => matches(type));
      }
      case 'GET events/:id': {
        const event = account.events.find((one) => one.id === id);
        if (event === undefined) throw missing('event', id);
        return event;
      }
      case 'GET balance_transactions': {
        const type = asText(form.type);
        const isExpanded = expand.includes('data.source');
        const all = account.transactions
          .filter((one) => type === undefined || one.type === type)
          .map((one) => (isExpanded ? one : { ...one, source: one.source.id }))
          .toReversed();
        return pageOf(path, form, all);
      }
      default:
        throw unknownUrl(method, path);
    }
  }

  return { callOf, carryOut };
}

const unknownUrl = (method: string, path: string) =>
  new StripeError(404, { message: `Unrecognized request URL (${method}: ${path}).` });

interface Item {
  id: string | undefined;
  created: number;
}

/** A page of a list, the newest first, as https://docs.stripe.com/api/pagination describes it. */
function pageOf<T extends Item>(url: string, form: Form, all: T[], isWanted: (item: T) => boolean = () => true) {
  const limit = Number(asText(form.limit) ?? 10);
  if (!(limit >= 1 && limit <= 100)) {
    throw new StripeError(400, { code: 'parameter_invalid_integer', message: 'Invalid integer', param: 'limit' });
  }
  const [after, before] = [asText(form.starting_after), asText(form.ending_before)];
  const created = asForm(form.created);
  const bound = (name: string) => (created[name] === undefined ? undefined : Number(created[name]));
  const [gt, gte, lt, lte] = [bound('gt'), bound('gte'), bound('lt'), bound('lte')];
  const isInTime = ({ created: at }: Item) =>
    !(
      (gt !== undefined && at <= gt) ||
      (gte !== undefined && at < gte) ||
      (lt !== undefined && at >= lt) ||
      (lte !== undefined && at > lte)
    );
  const placeOf = (id: string) => {
    const place = all.findIndex((one) => one.id === id);
    if (place < 0) throw missing('object', id);
    return place;
  };
  if (before !== undefined) {
    const newer = all.slice(0, placeOf(before)).filter((one) => isInTime(one) && isWanted(one));
    return { object: 'list', url, has_more: newer.length > limit, data: newer.slice(-limit) };
  }
  const rest = (after === undefined ? all : all.slice(placeOf(after) + 1)).filter(
    (one) => isInTime(one) && isWanted(one),
  );
  return { object: 'list', url, has_more: rest.length > limit, data: rest.slice(0, limit) };
}
