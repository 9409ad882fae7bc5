#!/bin/sh
# Creates, in kubectl's current cluster, the namespace NAMESPACE (default: production) and what the store of install.sh needs besides
# its chart: Kafka, Prometheus, and a bucket in a separate namespace.
set -eu
cd "$(dirname "$0")"
namespace=${NAMESPACE:-production}

sed "s/name: store/name: $namespace/" ../../../k8s/namespace.yaml | kubectl apply -f -
sed "s/NAMESPACE/$namespace/" kafka.yaml prometheus.yaml | kubectl -n "$namespace" apply -f -
kubectl apply -f s3.yaml
