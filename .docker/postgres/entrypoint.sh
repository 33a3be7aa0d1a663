#!/bin/sh
# First start: makes the cluster with one role and one database. Later starts only run it.
set -eu
: "${POSTGRES_PASSWORD:?POSTGRES_PASSWORD is not set}"
if [ ! -s "$PGDATA/PG_VERSION" ]; then
	password_file=$(mktemp)
	trap 'rm -f "$password_file"' EXIT
	printf '%s' "$POSTGRES_PASSWORD" >"$password_file"
	initdb --username=neighborwatch --pwfile="$password_file" --auth=scram-sha-256 \
		--encoding=UTF8 --locale=C.UTF-8 >/dev/null
	printf 'host all all all scram-sha-256\n' >>"$PGDATA/pg_hba.conf"
	postgres --single -D "$PGDATA" postgres >/dev/null <<-SQL
		CREATE DATABASE neighborwatch;
	SQL
fi
exec postgres -D "$PGDATA" -c listen_addresses='*' -c unix_socket_directories=/tmp
