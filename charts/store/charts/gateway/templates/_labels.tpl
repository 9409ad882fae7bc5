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

{{- define "gateway.sitePort" -}}
{{- $site := urlParse .Values.external.url }}
{{- if contains ":" $site.host }}{{ splitList ":" $site.host | last }}{{ else }}{{ ternary 443 80 (eq $site.scheme "https") }}{{ end }}
{{- end }}

{{- define "gateway.collectorPort" -}}
{{- $collector := urlParse .Values.global.tracing.endpoint }}
{{- if contains ":" $collector.host }}{{ splitList ":" $collector.host | last }}{{ else }}{{ ternary 443 80 (eq $collector.scheme "https") }}{{ end }}
{{- end }}
