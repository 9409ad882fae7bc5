# Creates missing databases and roles, and gives roles their passwords, again after each change of a file. A role is named after
# its file in /passwords. That of <database>.b logs in instead of the one of the database, whose rights it has (make
# rotate-password). The server shares its socket with this container and trusts every connection over it.
set -eu
# The image names SIGINT as its stop signal.
trap 'exit 0' INT TERM
export PGHOST=${PGHOST:-/var/run/postgresql} PGUSER=postgres PGDATABASE=postgres PGCONNECT_TIMEOUT=5
export PASSWORDS=${PASSWORDS:-/passwords}

create_database() {
  # The statements contain a password: a failing one must not be written to the server's log.
  psql -qAtX -v ON_ERROR_STOP=1 -v name="$1" <<'SQL'
set log_min_error_statement = panic;
set client_min_messages = error;
\set password `cat "$PASSWORDS/$NAME"`
select format('create role %I login', :'name') where not exists (select from pg_roles where rolname = :'name') \gexec
select format('alter role %I login nosuperuser password %L', :'name', :'password') \gexec
select format('create database %I owner %I', :'name', :'name')
  where not exists (select from pg_database where datname = :'name') \gexec
select format('revoke connect, temporary on database %I from public', :'name') \gexec
SQL
}

# What a session creates belongs to the role of the database, whoever logged in.
create_second_login() {
  psql -qAtX -v ON_ERROR_STOP=1 -v name="$1" -v owner="${1%.b}" <<'SQL'
set log_min_error_statement = panic;
set client_min_messages = error;
\set password `cat "$PASSWORDS/$NAME"`
select format('create role %I login in role %I', :'name', :'owner') where not exists (select from pg_roles where rolname = :'name') \gexec
select format('alter role %I login nosuperuser password %L', :'name', :'password') \gexec
select format('alter role %I set role %I', :'name', :'owner') \gexec
SQL
}

set_superuser_password() {
  psql -qAtX -v ON_ERROR_STOP=1 <<'SQL'
set log_min_error_statement = panic;
\set password `cat "$PASSWORDS/$NAME"`
select format('alter role postgres password %L', :'password') \gexec
SQL
}

# Creates the role of the exporter, which sees statistics and settings, no tables. Without a password it logs in within the pod only.
create_exporter() {
  psql -qAtX -v ON_ERROR_STOP=1 <<'SQL'
select 'create role postgres_exporter login in role pg_monitor'
  where not exists (select from pg_roles where rolname = 'postgres_exporter') \gexec
SQL
}

# A new version of this script replaces the running one, without a restart of the database.
self=$(cksum <"$0")
known=
while :; do
  [ "$(cksum <"$0")" = "$self" ] || exec bash "$0"
  now=$(cat "$PASSWORDS"/* | cksum)
  if [ "$now" != "$known" ] && pg_isready -q; then
    for file in "$PASSWORDS"/*; do
      NAME=${file##*/}; export NAME
      case $NAME in
        postgres) set_superuser_password ;;
        *.b) create_second_login "$NAME" ;;
        *) create_database "$NAME" ;;
      esac
    done
    create_exporter
    known=$now
    touch /tmp/ready
    echo "All databases and roles exist: $(ls "$PASSWORDS" | grep -vx postgres | tr '\n' ' ')"
  fi
  sleep 2 & wait $!
done
