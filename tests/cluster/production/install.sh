#!/bin/sh
# Installs the packaged chart with the preset prod-20 into the namespace NAMESPACE (default: production) of kubectl's current cluster,
# which must have CloudNativePG, KEDA, cert-manager and the images of .cache/images.yaml. Then run
# NAMESPACE=production ORDERERS=40 make test-cluster ARGS="failures/cloudnative-pg lifecycle/autoscaler".
# If the cluster also has CloudNativePG's Barman Cloud plugin, PostgreSQL is archived, for lifecycle/recovery.
set -eu
cd "$(dirname "$0")/../../.."
export PATH="$PWD/node_modules/.bin:$PATH"
here=tests/cluster/production namespace=${NAMESPACE:-production} folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
k() { kubectl -n "$namespace" "$@"; }

NAMESPACE=$namespace sh $here/prepare.sh
# As in docs/kubernetes.md
openssl genpkey -algorithm ed25519 -out "$folder/token-key.pem"
k get secret store-jwt-key >/dev/null 2>&1 || k create secret generic store-jwt-key --from-file=JWT_PRIVATE_KEY="$folder/token-key.pem"
k get secret store-backups >/dev/null 2>&1 ||
  k create secret generic store-backups --from-literal=access-key-id=store-backups --from-literal=secret-access-key=archive-of-a-test
credentials=$(for one in auth inventory order notification operator; do printf -- '--from-literal=%s=%s ' $one "$(openssl rand -hex 32)"; done)
# shellcheck disable=SC2086
k get secret store-internal >/dev/null 2>&1 || k create secret generic store-internal $credentials

node tools/chart/package.ts 0.2.0 --images store --to "$folder"
tar -xzf "$folder/store-0.2.0.tgz" -C "$folder" store/presets
archives=$(kubectl get crd objectstores.barmancloud.cnpg.io >/dev/null 2>&1 && echo true || echo false)
presets=$(for one in prod cloudnative-pg prod-20; do printf -- '-f %s ' "$folder/store/presets/$one.yaml"; done)
# shellcheck disable=SC2086
"$(node tools/chart/helm-path.ts)" upgrade store "$folder/store-0.2.0.tgz" --install -n "$namespace" $presets \
  -f $here/values.yaml -f .cache/images.yaml --set global.prometheus=http://prometheus.$namespace:9090 \
  --set database.cloudnativePg.backup.enabled="$archives"
# A replica is copied after a checkpoint, which PostgreSQL spreads over minutes unless told to make it at once.
until k wait cluster/store-database --for=condition=Ready --timeout=5s; do
  k exec store-database-1 -c postgres -- psql -qc checkpoint || true
done
k wait deployment --all --for=condition=Available --timeout=15m
