{{- define "gateway.envoy" -}}
{{- tpl (.Files.Get "files/envoy.yaml") . }}
{{- end }}

{{/* Of a parsed URL, with the default of its scheme. */}}
{{- define "gateway.portOf" -}}
{{- if contains ":" .host }}{{ splitList ":" .host | last }}{{ else }}{{ ternary 443 80 (eq .scheme "https") }}{{ end }}
{{- end }}
