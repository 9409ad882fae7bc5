# Creates missing databases and roles, and repeats that, so that a new one needs no restart. A role is named after its file
# in /passwords. The server shares its socket with this container and trusts every connection over it.
set -eu
# The image names SIGINT as its stop signal.
trap 'exit 0' INT TERM
export PGHOST=/var/run/postgresql PGUSER=postgres PGDATABASE=postgres PGCONNECT_TIMEOUT=5

create_database() {
  # The statements contain a password: a failing one must not be written to the server's log.
  psql -qAtX -v ON_ERROR_STOP=1 -v name="$1" <<'SQL'
set log_min_error_statement = panic;
set client_min_messages = error;
\set password `cat "/passwords/$NAME"`
select format('create role %I login', :'name') where not exists (select from pg_roles where rolname = :'name') \gexec
select format('alter role %I login nosuperuser password %L', :'name', :'password') \gexec
select format('create database %I owner %I', :'name', :'name')
  where not exists (select from pg_database where datname = :'name') \gexec
select format('revoke connect, temporary on database %I from public', :'name') \gexec
SQL
}

# A new version of this script replaces the running one, without a restart of the database.
self=$(cksum <"$0")
known=
while :; do
  [ "$(cksum <"$0")" = "$self" ] || exec bash "$0"
  now=$(cat /passwords/* | cksum)
  if [ "$now" != "$known" ] && pg_isready -q; then
    for file in /passwords/*; do
      NAME=${file##*/}; export NAME
      [ "$NAME" = postgres ] || create_database "$NAME"
    done
    known=$now
    touch /tmp/ready
    echo "All databases and roles exist: $(ls /passwords | grep -vx postgres | tr '\n' ' ')"
  fi
  sleep 2 & wait $!
done
