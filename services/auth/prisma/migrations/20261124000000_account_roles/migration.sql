create table account_roles (
  account_id uuid primary key,
  roles text[] not null,
  changed_at timestamptz(6) not null
);
