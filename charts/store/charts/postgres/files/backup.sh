# Dumps all databases as of the same instant into a new folder of $BACKUPS, and keeps the newest $KEEP folders.
set -euo pipefail
export PGCONNECT_TIMEOUT=10 PGOPTIONS='-c lock_timeout=1500 -c idle_in_transaction_session_timeout=0 -c statement_timeout=0'
name=$(date -u +%Y%m%dT%H%M%SZ)
partial=$BACKUPS/.partial-$name
sessions=$(mktemp -d); touch "$sessions/errors"
declare -A to from
trap '[ $? = 0 ] || tail -n 3 "$sessions/errors" >&2; rm -rf "$sessions" "$partial"' EXIT
# The first process of a container ignores these signals by default.
trap 'exit 143' INT TERM
# A failed session stops reading. Writing to it must fail the statement, not end this script.
trap '' PIPE

# Opens a session in each database that stays open until its dump is done.
open_sessions() {
  local in out
  for database in $DATABASES; do
    mkfifo "$sessions/$database.in" "$sessions/$database.out"
    psql -qAtX -v ON_ERROR_STOP=1 -d "$database" <"$sessions/$database.in" >"$sessions/$database.out" 2>>"$sessions/errors" &
    exec {in}>"$sessions/$database.in" {out}<"$sessions/$database.out"
    rm "$sessions/$database.in" "$sessions/$database.out"
    to[$database]=$in from[$database]=$out
  done
}

close_sessions() {
  local fd
  for database in "${!to[@]}"; do
    fd=${to[$database]}; exec {fd}>&-
    fd=${from[$database]}; exec {fd}<&-
  done
  wait || true
  to=() from=()
}

# Runs a statement in the session of a database. Prints its last line.
ask() {
  local line last=
  echo "$2; \\echo done" >&"${to[$1]}"
  while read -r line <&"${from[$1]}"; do
    if [ "$line" = done ]; then echo "$last"; return; fi
    last=$line
  done
  return 1
}

ask_all() { for database in $DATABASES; do ask "$database" "$1" >/dev/null || return 1; done; }

# While the locks keep everybody from writing an event or recording that it was handled, no dump can have an effect whose cause is
# missing in another dump. Consumers write to processed_events first, so this order avoids deadlocks. The snapshot outlives the
# savepoint, the locks do not.
same_instant() {
  ask_all 'begin isolation level repeatable read; savepoint before' || return 1
  for database in $DATABASES; do
    for table in processed_events outbox; do
      ask "$database" "do \$\$ begin
        if to_regclass('$table') is not null then lock table $table in share mode; end if; end \$\$" >/dev/null || return 1
    done
  done
  ask_all 'select count(*) from pg_class' && ask_all 'rollback to before; release before'
}

# A dump and a migration would wait for each other's locks, and block all readers. Services hold this lock during a migration.
migrating() {
  psql -qAtX -v ON_ERROR_STOP=1 -d postgres -c "select string_agg(datname, ', ' order by datname)
    from pg_locks join pg_database on pg_database.oid = database
    where locktype = 'advisory' and granted and (classid, objid) = (0, 7310001)" 2>>"$sessions/errors"
}
waited=0
while running=$(migrating); [ -n "$running" ]; do
  [ "$waited" -lt "${MIGRATION_SECONDS:-600}" ] || { echo "A migration of $running is running: nothing was dumped" >&2; exit 1; }
  [ "$waited" -gt 0 ] || echo "A migration of $running is running: waiting for its end"
  sleep 1; waited=$((waited + 1))
done

DATABASES=$(psql -qAtX -v ON_ERROR_STOP=1 -d postgres \
  -c "select datname from pg_database where not datistemplate and datname <> 'postgres' order by 1" 2>>"$sessions/errors")
for attempt in 1 2 3 4 5 6 7 8 9 10; do
  open_sessions
  if same_instant 2>/dev/null; then break; fi
  close_sessions
  [ "$attempt" -lt 10 ] || { echo "No snapshot of all databases at the same instant was possible: nothing was dumped" >&2; exit 1; }
  sleep 1
done

mkdir -p "$partial"
for database in $DATABASES; do
  snapshot=$(ask "$database" 'select pg_export_snapshot()')
  pg_dump --format=custom --snapshot="$snapshot" --file="$partial/$database.dump" "$database"
  pg_restore --list "$partial/$database.dump" >/dev/null
  echo "$database: $(stat -c %s "$partial/$database.dump") bytes"
done
close_sessions
(cd "$partial" && sha256sum -- *.dump >SHA256SUMS)
sync "$partial"/*
mv "$partial" "$BACKUPS/$name"
echo "$name is complete"

# Newest first: names sort by time.
find "$BACKUPS" -mindepth 1 -maxdepth 1 -name '[0-9]*T[0-9]*Z' -printf '%f\n' | sort -r | tail -n "+$((KEEP + 1))" |
  while read -r old; do rm -r "${BACKUPS:?}/$old"; echo "$old is deleted"; done
# Left by runs that were killed.
find "$BACKUPS" -mindepth 1 -maxdepth 1 -name '.partial-*' -mmin +1440 -exec rm -r {} +
