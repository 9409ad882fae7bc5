# Creates missing databases and roles, and sets the roles' passwords, again after each change of a file. Each file in /passwords
# has the name of a role. The role <database>.b takes turns in logging in with the database's role and has the same rights
# (make rotate-password). The server shares its socket with this container and trusts every connection over it.
set -eu
# The image names SIGINT as its stop signal.
trap 'exit 0' INT TERM
export PGHOST=${PGHOST:-/var/run/postgresql} PGUSER=postgres PGDATABASE=postgres PGCONNECT_TIMEOUT=5
export PASSWORDS=${PASSWORDS:-/passwords}

create_database() {
  # The statements contain a password, so the server must not log one that fails.
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

# Objects that a session of either role creates belong to the database's role.
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

# Creates the role of the exporter, which sees statistics and settings, but no tables. It has no password, so it can log in only
# within the pod.
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
