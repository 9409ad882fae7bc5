# Runs before SIGTERM, which ends Envoy at once.
ask() {
  exec 3<>/dev/tcp/127.0.0.1/{{ .Values.adminPort }}
  printf '%s HTTP/1.1\r\nHost: admin\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' "$1" >&3
  cat <&3
  exec 3>&-
}
# With externalTrafficPolicy: Local a node sends nothing to a copy that ends and is not ready, whatever comes to it.
sleep {{ .Values.noticeSeconds }}
# From now on this copy is not ready, and every answer closes its connection.
ask 'POST /healthcheck/fail' >/dev/null
sleep {{ .Values.drainSeconds }}
for _ in $(seq 20); do
  if ask 'GET /stats?filter=^http.store.downstream_rq_active$' | grep -q ': 0'; then break; fi
  sleep 1
done
