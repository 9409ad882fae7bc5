create table sessions (
  id uuid primary key,
  account_id uuid not null,
  began_at timestamptz(6) not null,
  expires_at timestamptz(6) not null,
  address text,
  user_agent text
);

create index sessions_account_id_idx on sessions (account_id);
create index sessions_expires_at_idx on sessions (expires_at);
