{{- /* The only Envoy configuration: files/envoy.yaml, whose larger pieces are in templates/envoy. */}}
{{- define "gateway.envoy" -}}
{{- $scope := dict "Values" .Values "Files" .Files "Template" .Template "model" (include "gateway.model" . | fromYaml) }}
{{- $_ := tpl (.Files.Get "files/problems.yaml") $scope | fromYamlArray | set $scope "problems" }}
{{- tpl (.Files.Get "files/envoy.yaml") $scope }}
{{- end }}

{{- /* Fails if TLS ends in two places. Takes { root, value }. */}}
{{- define "gateway.checkInFront" -}}
{{- if .root.Values.tls.existingSecret }}
{{- fail (printf "gateway.tls.existingSecret is set and gateway.%s.enabled is true: the proxy in front sends plain HTTP, which the gateway would redirect for ever. Let only one of them terminate TLS." .value) }}
{{- end }}
{{- end }}
