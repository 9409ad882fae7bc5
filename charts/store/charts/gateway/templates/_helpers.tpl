{{- define "gateway.selector" -}}
app.kubernetes.io/name: gateway
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/part-of: store
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "gateway.envoy" -}}
{{- tpl (.Files.Get "files/envoy.yaml") . }}
{{- end }}

{{/* Of a parsed URL, with the default of its scheme. */}}
{{- define "gateway.portOf" -}}
{{- if contains ":" .host }}{{ splitList ":" .host | last }}{{ else }}{{ ternary 443 80 (eq .scheme "https") }}{{ end }}
{{- end }}
