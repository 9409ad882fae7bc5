{{- /* global.routes, and that of the shop where it is installed. A JSON map from prefix to service. */}}
{{- define "gateway.prefixes" -}}
{{- $shop := dict }}
{{- if dig "shop" "enabled" false .Values.global }}
{{- $shop = dict "/shop" "shop" }}
{{- end }}
{{- merge (dict) $shop .Values.global.routes | toJson }}
{{- end }}

{{- /* Services that the gateway calls, as a JSON list: those behind a prefix, and auth, which checks the tokens. */}}
{{- define "gateway.services" -}}
{{- without (append (include "gateway.prefixes" . | fromJson | values) "auth") "" | uniq | sortAlpha | toJson }}
{{- end }}

{{- /* A JSON map of { host, port } by service. */}}
{{- define "gateway.upstreams" -}}
{{- $upstreams := dict }}
{{- range include "gateway.services" . | fromJsonArray }}
{{- $default := dict "host" (printf "%s-pods" .) "port" 8080 }}
{{- $_ := set $upstreams . (get $.Values.upstreams . | default $default) }}
{{- end }}
{{- toJson $upstreams }}
{{- end }}

{{- /* A JSON map like gateway.upstreams of the services that stream, by the name of the cluster for their streams. */}}
{{- define "gateway.streamUpstreams" -}}
{{- $upstreams := include "gateway.upstreams" . | fromJson }}
{{- $streams := dict }}
{{- range include "gateway.streamRoutes" . | fromJsonArray }}
{{- $_ := set $streams .cluster (get $upstreams (trimSuffix "-streams" .cluster)) }}
{{- end }}
{{- toJson $streams }}
{{- end }}

{{- /*
A JSON list of { prefix, cluster }, where a longer prefix comes before those that cover it: backwards by the alphabet. The
empty prefix at the end covers everything.
*/}}
{{- define "gateway.routes" -}}
{{- $routes := list }}
{{- $external := ternary (dict "/external" "external") dict (ne .Values.external.url "") }}
{{- $clusters := merge $external (include "gateway.prefixes" . | fromJson) }}
{{- range $prefix := keys $clusters | sortAlpha | reverse }}
{{- with get $clusters $prefix }}
{{- $routes = append $routes (dict "prefix" $prefix "cluster" .) }}
{{- end }}
{{- end }}
{{- append $routes (dict "prefix" "" "cluster" "self") | toJson }}
{{- end }}

{{- /* A JSON list of { match, prefix, cluster } of the paths whose GET is answered by a stream, each at the longest prefix that covers it. */}}
{{- define "gateway.streamRoutes" -}}
{{- $streams := list }}
{{- range $path := .Values.streams }}
{{- $service := "" }}
{{- $prefix := "" }}
{{- range include "gateway.routes" $ | fromJsonArray }}
{{- if and (not $service) (hasPrefix (printf "%s/" .prefix) $path) (not (has .cluster (list "external" "self"))) }}
{{- $service = .cluster }}
{{- $prefix = .prefix }}
{{- end }}
{{- end }}
{{- if not $service }}
{{- fail (printf "gateway.streams: %q is refused: no route leads there. Expected is a path under a prefix of global.routes." $path) }}
{{- end }}
{{- $headers := list (dict "name" ":method" "string_match" (dict "exact" "GET")) }}
{{- $streams = append $streams (dict "match" (dict "path" $path "headers" $headers) "prefix" $prefix "cluster" (printf "%s-streams" $service)) }}
{{- end }}
{{- toJson $streams }}
{{- end }}

{{- define "gateway.envoyRoutes" -}}
# The open list and what is always open. Everything below is secured.
{{- range include "gateway.openRoutes" . | fromJsonArray }}
{{ include "gateway.envoyRoute" (merge . (dict "root" $ "isOpen" true)) }}
{{- end }}
{{- $alwaysOpen := `{safe_regex: {regex: "/(health-check)?"}, headers: [{name: ":method", string_match: {safe_regex: {regex: GET|HEAD}}}]}` }}
{{ include "gateway.envoyRoute" (dict "root" . "isOpen" true "prefix" "" "cluster" "self" "match" (fromYaml $alwaysOpen)) }}
# Streams. They are secured like everything below.
{{- range include "gateway.streamRoutes" . | fromJsonArray }}
{{ include "gateway.envoyRoute" (merge . (dict "root" $ "isOpen" false "isStream" true)) }}
{{- end }}
# The last route takes unknown paths, so that they are checked too: 401 without a token, 404 with one.
{{- range include "gateway.routes" . | fromJsonArray }}
{{ include "gateway.envoyRoute" (dict "root" $ "isOpen" false "prefix" .prefix "cluster" .cluster "match" (include "gateway.prefixMatch" .prefix | fromJson)) }}
{{- end }}
{{- end }}

{{- /* The largest body of a path prefix, in KiB. A route has it as metadata, too, for the text of a 413. */}}
{{- define "gateway.bodyKib" -}}
{{- get .root.Values.bodyKib .prefix | default .root.Values.limits.bodyKib }}
{{- end }}

{{- define "gateway.envoyRoute" -}}
{{- $external := .root.Values.external }}
{{- $isExternal := eq .cluster "external" }}
{{- $hidesIdentity := and $isExternal (not $external.forwardIdentity) }}
{{- $bodyKib := include "gateway.bodyKib" . | int -}}
- match: {{ toJson .match }}
  metadata: {filter_metadata: {store: {largestBody: {{ $bodyKib }} KiB}}}
  route:
    cluster: {{ .cluster }}
    {{- if .isOpen }}
    {{- /* Envoy ignores a timeout beside it. */}}
    max_stream_duration: {max_stream_duration: {{ min .root.Values.timeouts.open .root.Values.timeouts.route }}s}
    {{- else if .isStream }}
    timeout: 0s
    idle_timeout: {{ .root.Values.timeouts.stream }}s
    {{- else if ne .cluster "self" }}
    timeout: {{ .root.Values.timeouts.route }}s
    {{- end }}
    {{- if $isExternal }}
    {{- /* How long it thinks is not the store's. */}}
    idle_timeout: {{ .root.Values.timeouts.route }}s
    host_rewrite_literal: {{ (urlParse $external.url).host }}
    {{- if $external.stripPrefix }}
    regex_rewrite: {pattern: {regex: "^/external/?"}, substitution: /}
    {{- end }}
    {{- end }}
  {{- if $hidesIdentity }}
  request_headers_to_remove: [id-account, account-roles, account-scopes, authorization]
  {{- end }}
  {{- if and .isOpen (eq .cluster "self") }}
  # Envoy writes none for the empty answer of /health-check to HEAD.
  response_headers_to_add: [{header: {key: content-length, value: "0"}, append_action: ADD_IF_ABSENT}]
  {{- end }}
  {{- if $isExternal }}
  {{- if $external.removeHeaders }}
  # What speaks for the whole origin, which is the store's
  response_headers_to_remove: [clear-site-data, strict-transport-security, service-worker-allowed, alt-svc, nel, report-to]
  {{- end }}
  {{- with $external.contentSecurityPolicy }}
  response_headers_to_add:
    - {header: {key: content-security-policy, value: {{ quote . }}}, append_action: APPEND_IF_EXISTS_OR_ADD}
  {{- end }}
  {{- end }}
  typed_per_filter_config:
    {{- if .isOpen }}
    {{- range list "authorization" "token" "check" "identity" }}
    {{ . }}: {"@type": type.googleapis.com/envoy.config.route.v3.FilterConfig, disabled: true}
    {{- end }}
    {{- end }}
    length:
      "@type": type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBACPerRoute
      rbac:
        rules:
          action: DENY
          policies:
            too-large:
              permissions: [{any: true}]
              principals:
                - header: {name: content-length, range_match: {start: {{ add1 (mul $bodyKib 1024) }}, end: 9223372036854775807}}
    {{- /*
    While auth is asked, Envoy may hold a connection's buffer and a window of HTTP/2, 80 KiB. It would never read on if that were more
    than half of this limit, which counts bodies without a length; the service counts them exactly.
    */}}
    body:
      "@type": type.googleapis.com/envoy.extensions.filters.http.buffer.v3.BufferPerRoute
      buffer: {max_request_bytes: {{ mul (ternary $bodyKib (max $bodyKib 192) .isOpen) 1024 }}}
    {{- if $isExternal }}
    api-key:
      "@type": type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBACPerRoute
      rbac:
        rules:
          action: DENY
          policies:
            api-key: {permissions: [{any: true}], principals: [{header: {name: account-scopes, present_match: true}}]}
    token-cookie:
      "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.LuaPerRoute
      source_code:
        inline_string: |
          local hidden = {"console_session"{{ if $hidesIdentity }}, "__store_jwt_token"{{ end }}}
          {{- .root.Files.Get "files/request-cookies.lua" | nindent 10 }}
          {{- if $external.removeHeaders }}
          {{- .root.Files.Get "files/response-cookies.lua" | nindent 10 }}
          {{- end }}
    {{- end }}
{{- end }}
