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

{{/* Where a port of the gateway listens. Takes { root, port }. */}}
{{- define "gateway.listens" -}}
{{- $any := ternary "::" "0.0.0.0" (eq (include "store.hasIpv6" .root) "true") }}
{{- $address := .root.Values.address | default $any -}}
socket_address: {address: {{ quote $address }}, port_value: {{ .port }}{{ if eq $address "::" }}, ipv4_compat: true{{ end }}}
{{- end }}

{{/* Of a parsed URL, with the default of its scheme. */}}
{{- define "gateway.portOf" -}}
{{- if contains ":" .host }}{{ splitList ":" .host | last }}{{ else }}{{ ternary 443 80 (eq .scheme "https") }}{{ end }}
{{- end }}
