{{- /* Addresses of Kafka's brokers. Without a value the release runs its own Kafka. */}}
{{- define "kafka.bootstrapServers" -}}
{{- .Values.global.kafka.bootstrapServers | default "kafka:9092" }}
{{- end }}

{{- /* Without part-of this would also select the pods that Strimzi calls "kafka" for a cluster of the release's name. */}}
{{- define "kafka.selector" -}}
app.kubernetes.io/name: kafka
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/part-of: store
{{- end }}

{{- /* The egress rule of a NetworkPolicy that allows access to Kafka. */}}
{{- define "kafka.egress" -}}
- to:
    {{- if .Values.global.kafka.bootstrapServers }}
    {{- toYaml .Values.global.networkPolicy.kafkaAt | nindent 4 }}
    {{- else }}
    - podSelector:
        matchLabels:
          {{- include "kafka.selector" . | nindent 10 }}
    {{- end }}
  ports:
    {{- $ports := list }}
    {{- range splitList "," (include "kafka.bootstrapServers" .) }}
    {{- $ports = append $ports (splitList ":" . | last | int) }}
    {{- end }}
    {{- /* Pods of the previous release use the other listener. */}}
    {{- range .Values.global.kafka.bothListeners | ternary (list 9092 9093) $ports }}
    - port: {{ . }}
    {{- end }}
{{- with .Values.global.kafka }}
{{- if and .login (eq .mechanism "oauthbearer") }}
# Token endpoint
- ports: [{ port: {{ include "store.portOf" (urlParse .token.url) }} }]
{{- end }}
{{- end }}
{{- end }}
