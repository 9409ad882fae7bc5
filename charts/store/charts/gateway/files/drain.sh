# Runs before SIGTERM, which makes Envoy exit at once.
ask() {
  exec 3<>/dev/tcp/127.0.0.1/{{ .Values.adminPort }}
  printf '%s HTTP/1.1\r\nHost: admin\r\nContent-Length: 0\r\nConnection: close\r\n\r\n' "$1" >&3
  cat <&3
  exec 3>&-
}
# With externalTrafficPolicy: Local a node drops connections that still arrive for a terminating replica that is not ready.
sleep {{ .Values.noticeSeconds }}
# From now on this replica is not ready, and every answer closes its connection.
ask 'POST /healthcheck/fail' >/dev/null
sleep {{ .Values.drainSeconds }}
for _ in $(seq 20); do
  if ask 'GET /stats?filter=^http.store.downstream_rq_active$' | grep -q ': 0'; then break; fi
  sleep 1
done
