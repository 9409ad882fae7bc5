# Makes what is missing of the databases and roles, again and again, so that a new one needs no restart.
# Roles named like a file in /passwords; the socket of the server beside it trusts whoever reaches it.
set -eu
# SIGINT is what the image names as its stop signal.
trap 'exit 0' INT TERM
export PGHOST=/var/run/postgresql PGUSER=postgres PGDATABASE=postgres PGCONNECT_TIMEOUT=5

make_database() {
  # The statements carry a password: a failing one must not be written to the server's log.
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

# Another version of this script takes over by itself: the database need not restart for it.
self=$(cksum <"$0")
known=
while :; do
  [ "$(cksum <"$0")" = "$self" ] || exec bash "$0"
  now=$(cat /passwords/* | cksum)
  if [ "$now" != "$known" ] && pg_isready -q; then
    for file in /passwords/*; do
      NAME=${file##*/}; export NAME
      [ "$NAME" = postgres ] || make_database "$NAME"
    done
    known=$now
    touch /tmp/ready
    echo "The databases and roles are there: $(ls /passwords | grep -vx postgres | tr '\n' ' ')"
  fi
  sleep 2 & wait $!
done
