import type { ComponentChildren } from 'preact';
import type { AnswerTo } from '../../api/call.ts';
import { ageOf } from '../../parts/clock.ts';
import { Badge, money, OrderLink, Time } from '../../parts/parts.tsx';
import { Table } from '../../parts/table.tsx';

interface OrderTableProps {
  orders: AnswerTo<'listOrders'>['orders'];
  empty?: ComponentChildren;
}

export const OrderTable = ({ orders, empty }: OrderTableProps) => (
  <Table
    empty={empty}
    rows={orders}
    keyOf={({ id }) => id}
    columns={{
      Order: ({ id }) => <OrderLink id={id} />,
      Customer: ({ customerId, customerName }) => (
        <a href={`#/accounts/${customerId}`}>
          {customerName === null ? <code>{customerId.slice(0, 8)}</code> : <bdi>{customerName}</bdi>}
        </a>
      ),
      Status: ({ status }) => <Badge text={status} />,
      Age: ({ createdAt }) => ageOf(createdAt),
      Placed: ({ createdAt }) => <Time at={createdAt} />,
      Total: ({ total }) => money(total),
    }}
  />
);
