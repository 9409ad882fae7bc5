import type { Words } from './words.ts';

export const pt: Words = {
  greeting: (name) => `Olá ${name},`,
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
      text: `O pagamento do seu pedido ${orderId} falhou: ${reason}. O pedido foi cancelado e não há nada a pagar.`,
    }),
    StockRejected: ({ orderId, reason = 'sem estoque' }) => ({
      subject: 'Não podemos entregar o seu pedido',
      text: `Não podemos entregar todos os itens do seu pedido ${orderId}: ${reason}. O pedido foi cancelado e não há nada a pagar.`,
    }),
    OrderCancelled: ({ orderId, reason }) => ({
      subject: 'O seu pedido foi cancelado',
      text: `O seu pedido ${orderId} foi cancelado: ${reason}.`,
    }),
    PaymentRefunded: ({ orderId, amount }) => ({
      subject: 'O seu reembolso está a caminho',
      text: `Reembolsamos ${amount} pelo seu pedido ${orderId}.`,
    }),
    OrderShipped: ({ orderId, shipmentId }) => ({
      subject: 'O seu pedido está a caminho',
      text: `O seu pedido ${orderId} foi enviado com o número ${shipmentId}.`,
    }),
    AccountRegistered: ({ requestId }) =>
      requestId === undefined
        ? { subject: 'Bem-vindo à loja', text: 'Obrigado pelo seu registro. Já pode fazer pedidos.' }
        : {
            subject: 'Confirme o seu endereço de e-mail',
            text: 'Obrigado pelo seu registro. Poderá fazer pedidos depois de confirmar este endereço, no prazo de um dia.',
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
    EmailChangeRequested: () => ({
      subject: 'Confirme o seu endereço de e-mail',
      text: 'Confirme que este é o novo endereço da sua conta, no prazo de um dia.',
      link: 'Confirmar o endereço',
    }),
    EmailChanged: () => ({
      subject: 'O seu endereço de e-mail foi alterado',
      text: 'A sua conta tem agora outro endereço de e-mail e este já não é usado. Se não foi você, escreva-nos.',
    }),
  },
};
