{{- /* Headers of an answer that scripts of an allowed origin may read. */}}
{{- define "gateway.exposedHeaders" -}}
deprecation, etag, idempotency-replayed, link, location, ratelimit, ratelimit-policy, retry-after, sunset, x-request-id
{{- end }}

{{- /* What names the origins, here and below, is one line each: start.sh replaces it by what the environment says. */}}
{{- define "gateway.cors" -}}
{{- $matchers := list }}
{{- range .Values.cors.allowedOrigins }}
{{- $matchers = append $matchers (printf "{exact: %q}" .) }}
{{- end -}}
"@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.CorsPolicy
allow_origin_string_match: [{{ join ", " $matchers }}]
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
{{- $texts := list }}
{{- range $origins }}
{{- $texts = append $texts (squote .) }}
{{- end }}
{{- $kind := ternary "any" "listed" (has "*" $origins) }}
{{- $isAllowed := printf "(request.headers['origin'] in [%s] || '%s' == 'any')" (join ", " $texts) $kind }}
{{- $condition := printf "'origin' in request.headers && %s" $isAllowed }}
{{- /* Envoy does not send an empty one. */}}
{{- $credentials := ternary "true" "" .Values.cors.allowedCredentials }}
{{- $headers := dict "access-control-allow-origin" "%REQ(origin)%" "access-control-expose-headers" (include "gateway.exposedHeaders" .) "access-control-allow-credentials" $credentials }}
{{- dict "condition" $condition "headers" $headers | toJson }}
{{- end }}
