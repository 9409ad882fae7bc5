import { keepPreviousData, useQuery } from '@tanstack/preact-query';
import { useState } from 'preact/hooks';
import { call } from '../api/call.ts';
import { Search } from '../parts/form.tsx';
import { Paging } from '../parts/paging.tsx';
import { Answer, Time } from '../parts/parts.tsx';
import { Table } from '../parts/table.tsx';
import { Account } from './account.tsx';
import { Machines } from './machines.tsx';
import { Webhooks } from './webhooks.tsx';

/**
 * Accounts with a text in their name or address, a single account, or, without either, the accounts of machines and the webhooks.
 * @param id of the single account
 * @param sought the text, from the page's address
 */
export function Accounts({ id, sought }: { id: string | undefined; sought: string | undefined }) {
  const search = (text: string) => {
    location.hash = `#/accounts?${encodeURIComponent(text)}`;
  };
  return (
    <>
      <h1>Accounts</h1>
      <Search label="Name, e-mail address or id of an account" button="Search" onSearch={search} />
      {id === undefined && sought !== undefined && <Found sought={sought} key={sought} />}
      {id !== undefined && <Account id={id} key={id} />}
      {id === undefined && sought === undefined && (
        <>
          <Machines />
          <Webhooks />
        </>
      )}
    </>
  );
}

function Found({ sought }: { sought: string }) {
  const [after, setAfter] = useState<string>();
  const page = useQuery({
    queryKey: ['accounts', sought, after],
    queryFn: () => call('get', '/api/accounts', { query: { sought, after } }),
    placeholderData: keepPreviousData,
    // The audit trail records every look, so do not repeat the request.
    refetchInterval: false,
  });
  return (
    <Answer of={page}>
      {({ accounts, next }) => (
        <section class="card" aria-label="Accounts">
          <Table
            empty={
              <p role="status">
                No account has “<bdi>{sought}</bdi>” in its name, its address or at the beginning of its id.
              </p>
            }
            rows={accounts}
            keyOf={({ id }) => id}
            columns={{
              Name: ({ id, name }) => (
                <a href={`#/accounts/${id}`} dir="auto">
                  {name}
                </a>
              ),
              'E-mail address': ({ email }) => <bdi>{email}</bdi>,
              Since: ({ createdAt }) => <Time at={createdAt} />,
              Id: ({ id }) => <code>{id.slice(0, 8)}</code>,
            }}
          />
          <Paging
            first={after === undefined ? undefined : () => setAfter(undefined)}
            next={next === null ? undefined : () => setAfter(next)}
          />
        </section>
      )}
    </Answer>
  );
}
