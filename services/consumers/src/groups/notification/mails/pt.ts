import type { Words } from './words.ts';

/** The reasons that services write, in English. Reasons of other producers stay as they are. */
const reasons: [english: RegExp, portuguese: string][] = [
  [/^out of stock$/, 'sem estoque'],
  [/^product no longer exists$/, 'o produto já não existe'],
  [/^limit per customer reached$/, 'limite por cliente atingido'],
  [/^not confirmed in time$/, 'não foi confirmado a tempo'],
  [/^cancelled by the customer$/, 'cancelado pelo cliente'],
  [/^cancelled by the store$/, 'cancelado pela loja'],
  [/^the total is above (\S+)$/, 'o total é superior a $1'],
];

const translated = (reason = 'out of stock') =>
  reasons.reduce((text, [english, portuguese]) => text.replace(english, portuguese), reason);

export const pt: Words = {
  greeting: (name) => (name === undefined ? 'Olá,' : `Olá ${name},`),
  digest: {
    subject: 'Novidades sobre os seus pedidos',
    text: 'Houve muitas novidades sobre os seus pedidos numa hora. Ei-las:',
  },
  more: (count) => `E mais ${count}, que a loja mostra junto aos seus pedidos.`,
  messages: {
    OrderCreated: ({ orderId, amount }) => ({
      subject: 'Recebemos o seu pedido',
      text: `Obrigado. Recebemos o seu pedido ${orderId}${amount ? ` de ${amount}` : ''}.`,
    }),
    OrderPaid: ({ orderId, amount }) => ({
      subject: 'O seu pedido está pago',
      text: `Recebemos ${amount} pelo seu pedido ${orderId} e estamos a prepará-lo.`,
    }),
    PaymentFailed: ({ orderId, reason }) => ({
      subject: 'O seu pagamento falhou',
      text: `O pagamento do seu pedido ${orderId} falhou: ${translated(reason)}. O pedido foi cancelado e não há nada a pagar.`,
    }),
    StockRejected: ({ orderId, reason }) => ({
      subject: 'Não podemos entregar o seu pedido',
      text: `Não podemos entregar todos os itens do seu pedido ${orderId}: ${translated(reason)}. O pedido foi cancelado e não há nada a pagar.`,
    }),
    OrderCancelled: ({ orderId, reason }) => ({
      subject: 'O seu pedido foi cancelado',
      text: `O seu pedido ${orderId} foi cancelado: ${translated(reason)}.`,
    }),
    PaymentRefunded: ({ orderId, amount }) => ({
      subject: 'O seu reembolso está a caminho',
      text: `Reembolsamos ${amount} pelo seu pedido ${orderId}.`,
    }),
    RefundIssued: ({ orderId, amount }) => ({
      subject: 'Uma parte do seu pagamento foi reembolsada',
      text: `Reembolsamos ${amount} do que pagou pelo seu pedido ${orderId}.`,
    }),
    OrderShipped: ({ orderId, shipmentId, parcel }) => ({
      subject: 'O seu pedido está a caminho',
      text: [
        `O seu pedido ${orderId} foi enviado com o número ${shipmentId}.`,
        ...(parcel?.carrier ? [`Transportadora: ${parcel.carrier}.`] : []),
        ...(parcel?.trackingNumber ? [`Número de rastreio: ${parcel.trackingNumber}.`] : []),
        ...(parcel?.trackingUrl ? [`Veja onde está: ${parcel.trackingUrl}`] : []),
      ].join(' '),
    }),
    AccountRegistered: ({ requestId }) =>
      requestId === undefined
        ? { subject: 'Bem-vindo à loja', text: 'Obrigado pelo seu registro. Já pode fazer pedidos.' }
        : {
            subject: 'Confirme o seu endereço de e-mail',
            text: 'Foi registrada uma conta com este endereço. Confirme-o no prazo de um dia: até lá não recebe outros e-mails e os pedidos podem ser recusados. Se não foi você, não faça nada.',
            link: 'Confirmar o endereço',
          },
    PasswordResetRequested: () => ({
      subject: 'Defina uma nova senha',
      text: 'Alguém, esperamos que você, pediu uma nova senha para a sua conta. Se não foi você, não faça nada: o link expira em 30 minutos.',
      link: 'Definir uma nova senha',
    }),
    PasswordChanged: () => ({
      subject: 'A sua senha foi alterada',
      text: 'A senha da sua conta foi alterada e todas as outras sessões terminaram. Se não foi você, peça já uma nova senha.',
    }),
    EmailChangePending: () => ({
      subject: 'O seu endereço de e-mail vai ser alterado',
      text: 'Alguém que conhece a sua senha pediu outro endereço de e-mail para a sua conta. Se foi você, não faça nada aqui. Se não foi, cancele a alteração e depois altere a sua senha.',
      link: 'Cancelar a alteração',
    }),
    EmailChangeRequested: () => ({
      subject: 'Confirme o seu endereço de e-mail',
      text: 'Confirme que este é o novo endereço da sua conta, no prazo de um dia.',
      link: 'Confirmar o endereço',
    }),
    EmailChanged: () => ({
      subject: 'O seu endereço de e-mail foi alterado',
      text: 'A sua conta tem agora outro endereço de e-mail e este já não é usado. Se não foi você, escreva-nos.',
    }),
    ApiKeyMade: () => ({
      subject: 'A sua conta tem uma nova chave de API',
      text: 'Foi criada uma chave de API com que uma máquina pode agir pela sua conta. Se não foi você, altere já a sua senha, o que termina todas as chaves.',
    }),
    WebhookEnded: ({ host }) => ({
      subject: 'Um webhook terminou',
      text: `A loja já não envia eventos para ${host}: respondeu 410 ou há dias que não aceita nada. A consola mostra porquê. Quando voltar a funcionar, um operador pode retomar o webhook e enviar os eventos outra vez.`,
    }),
  },
};
