{{- define "gateway.envoy" -}}
{{- tpl (.Files.Get "files/envoy.yaml") . }}
{{- end }}

{{/* Plain HTTP, with TLS only to redirect it. */}}
{{- define "gateway.servesHttp" -}}
{{- if or (not .Values.tls.existingSecret) .Values.tls.redirectHttp }}true{{ end }}
{{- end }}

{{/* Refuses TLS in two places. Takes { root, value }. */}}
{{- define "gateway.checkInFront" -}}
{{- if .root.Values.tls.existingSecret }}
{{- fail (printf "gateway.tls.existingSecret is set and gateway.%s.enabled is true: what is in front sends plain HTTP, which the gateway would redirect for ever. Let one of them end TLS." .value) }}
{{- end }}
{{- end }}

{{/* Of a parsed URL, with the default of its scheme. */}}
{{- define "gateway.portOf" -}}
{{- if contains ":" .host }}{{ splitList ":" .host | last }}{{ else }}{{ ternary 443 80 (eq .scheme "https") }}{{ end }}
{{- end }}
