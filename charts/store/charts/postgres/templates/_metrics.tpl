{{- /* No probe: /metrics has pg_up, and the server stays ready without the exporter. */}}
{{- define "postgres.metrics" -}}
- name: metrics
  image: {{ include "component.reference" (dict "scope" . "image" .Values.metrics.image) }}
  imagePullPolicy: {{ .Values.pullPolicy }}
  args: ["--web.listen-address=:9187", --collector.database_wraparound]
  env:
    - { name: DATA_SOURCE_NAME, value: host=/var/run/postgresql user=postgres_exporter dbname=postgres sslmode=disable }
  ports:
    - { name: metrics, containerPort: 9187 }
  resources:
    {{- toYaml .Values.metrics.resources | nindent 4 }}
  securityContext:
    allowPrivilegeEscalation: false
    readOnlyRootFilesystem: true
    capabilities: { drop: [ALL] }
  volumeMounts:
    - { name: socket, mountPath: /var/run/postgresql }
{{- end }}
