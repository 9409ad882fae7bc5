{{- /* Whom the gateway calls: a JSON list of the services behind a prefix, and auth, which checks the tokens. */}}
{{- define "gateway.services" -}}
{{- without (append (values .Values.global.routes) "auth") "" | uniq | sortAlpha | toJson }}
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

{{- /*
A JSON list of { prefix, cluster }, where a longer prefix comes before those that cover it: backwards by the alphabet. The
empty prefix at the end covers everything.
*/}}
{{- define "gateway.routes" -}}
{{- $routes := list }}
{{- $clusters := merge (dict "/external" "external") .Values.global.routes }}
{{- range $prefix := keys $clusters | sortAlpha | reverse }}
{{- with get $clusters $prefix }}
{{- $routes = append $routes (dict "prefix" $prefix "cluster" .) }}
{{- end }}
{{- end }}
{{- append $routes (dict "prefix" "" "cluster" "self") | toJson }}
{{- end }}

{{- define "gateway.envoyRoutes" -}}
# The open list and what is always open. Everything below is secured.
{{- range include "gateway.openRoutes" . | fromJsonArray }}
{{ include "gateway.envoyRoute" (merge . (dict "root" $ "isOpen" true)) }}
{{- end }}
{{- $alwaysOpen := `{safe_regex: {regex: "/(health-check)?"}, headers: [{name: ":method", string_match: {safe_regex: {regex: GET|HEAD}}}]}` }}
{{ include "gateway.envoyRoute" (dict "root" . "isOpen" true "cluster" "self" "match" (fromYaml $alwaysOpen)) }}
# The last route takes unknown paths, so that they are checked too: 401 without a token, 404 with one.
{{- range include "gateway.routes" . | fromJsonArray }}
{{ include "gateway.envoyRoute" (dict "root" $ "isOpen" false "cluster" .cluster "match" (include "gateway.prefixMatch" .prefix | fromJson)) }}
{{- end }}
{{- end }}

{{- define "gateway.envoyRoute" -}}
{{- $external := .root.Values.external }}
{{- $isExternal := eq .cluster "external" }}
{{- $hidesIdentity := and $isExternal (not $external.forwardIdentity) -}}
- match: {{ toJson .match }}
  route:
    cluster: {{ .cluster }}
    {{- if ne .cluster "self" }}
    timeout: {{ .root.Values.timeouts.route }}s
    {{- end }}
    {{- if $isExternal }}
    host_rewrite_literal: {{ (urlParse $external.url).host }}
    {{- if $external.stripPrefix }}
    regex_rewrite: {pattern: {regex: "^/external/?"}, substitution: /}
    {{- end }}
    {{- end }}
  {{- if $hidesIdentity }}
  request_headers_to_remove: [id-account, authorization]
  {{- end }}
  {{- if or .isOpen $hidesIdentity }}
  typed_per_filter_config:
    {{- if .isOpen }}
    {{- range list "authorization" "token" "check" "identity" }}
    {{ . }}: {"@type": type.googleapis.com/envoy.config.route.v3.FilterConfig, disabled: true}
    {{- end }}
    {{- end }}
    {{- if $hidesIdentity }}
    own-cookies:
      "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.LuaPerRoute
      source_code:
        inline_string: |
          {{- .root.Files.Get "files/own-cookies.lua" | nindent 10 }}
    {{- end }}
  {{- end }}
{{- end }}
