# Restores the databases of the folder $BACKUPS/$FROM. Fails if a database holds data, unless REPLACE is yes. With CHECK=yes it
# changes nothing. Nobody may use the databases meanwhile. Without FROM it lists the backups.
set -euo pipefail
export PGCONNECT_TIMEOUT=10 PGDATABASE=postgres
trap 'exit 143' INT TERM
say_and_exit() { echo "$1" >&2; exit 1; }

present=$(cd "$BACKUPS" && ls -d [0-9]*/ 2>/dev/null | tr -d / | tr '\n' ' ') || true
if [ -z "$FROM" ]; then echo "There are: ${present:-no backups yet}"; exit; fi
cd "$BACKUPS/$FROM" 2>/dev/null && [ -f SHA256SUMS ] || say_and_exit "There is no backup $FROM. There are: $present"
sha256sum --check --quiet --strict SHA256SUMS
databases=$(basename -s .dump -- *.dump)

for database in $databases; do
  [ "${REPLACE:-}" != yes ] || break
  # Ignores the rows that migrations write themselves.
  filled=$(psql -qAtX -v ON_ERROR_STOP=1 -d "$database" <<'SQL'
select coalesce(string_agg(format('select %L where exists (select from %I)', tablename, tablename), ' union all '), 'select')
from pg_tables where schemaname = 'public' and tablename not in ('_prisma_migrations', 'invoice_counter') \gexec
SQL
  )
  [ -z "$filled" ] || say_and_exit "The database $database holds data ($(echo $filled)): nothing was changed"
done
if [ "${CHECK:-}" = yes ]; then exit; fi

for database in $databases; do
  psql -qX -v ON_ERROR_STOP=1 -v name="$database" <<'SQL'
select format('drop database %I with (force)', :'name') \gexec
select format('create database %I owner %I', :'name', :'name') \gexec
select format('revoke connect, temporary on database %I from public', :'name') \gexec
SQL
  pg_restore --exit-on-error --single-transaction --dbname="$database" "$database.dump"
  # Events that were already sent may not have been handled at the time of the dump, so they are sent again. Consumers skip those
  # that they have handled.
  psql -qX -v ON_ERROR_STOP=1 -d "$database" <<'SQL'
select 'update outbox set sent_at = null' where to_regclass('outbox') is not null \gexec
vacuum analyze;
SQL
  echo "$database is restored"
done
