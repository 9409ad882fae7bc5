{{- /* Headers of an answer that scripts of an allowed origin may read. */}}
{{- define "gateway.exposedHeaders" -}}
deprecation, etag, idempotency-replayed, link, location, ratelimit, ratelimit-policy, retry-after, sunset, x-request-id
{{- end }}

{{- define "gateway.cors" -}}
"@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy
allow_origin_string_match:
{{- range .Values.cors.allowedOrigins }}
  - exact: {{ . | quote }}
{{- end }}
# The filter echoes what the preflight asks for, because * is no wildcard with credentials.
allow_methods: "*"
allow_headers: "*"
expose_headers: {{ include "gateway.exposedHeaders" . }}
max_age: "600"
allow_credentials: {{ .Values.cors.allowedCredentials }}
forward_not_matching_preflights: false
{{- end }}

{{- /*
For an answer that is made before the filter of CORS, a JSON map of { condition, headers }: whether the origin is an allowed one (CEL),
and what the filter would add.
*/}}
{{- define "gateway.corsBeforeFilter" -}}
{{- $origins := .Values.cors.allowedOrigins }}
{{- $condition := has "*" $origins | ternary "'origin' in request.headers" (printf "request.headers['origin'] in %s" (toJson $origins)) }}
{{- $headers := dict "access-control-allow-origin" "%REQ(origin)%" "access-control-expose-headers" (include "gateway.exposedHeaders" .) }}
{{- if .Values.cors.allowedCredentials }}
{{- $_ := set $headers "access-control-allow-credentials" "true" }}
{{- end }}
{{- dict "condition" $condition "headers" $headers | toJson }}
{{- end }}
