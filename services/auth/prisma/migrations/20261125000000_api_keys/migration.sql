create table api_keys (
  id uuid primary key,
  account_id uuid not null,
  name text not null,
  scopes text[] not null,
  token_digest bytea not null,
  created_at timestamptz(6) not null,
  expires_at timestamptz(6) not null,
  ended_at timestamptz(6),
  last_used_at timestamptz(6)
);

create index api_keys_account_id_idx on api_keys (account_id);
create index api_keys_expires_at_idx on api_keys (expires_at);
