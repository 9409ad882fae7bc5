{{- /* A route of model.routes. Takes the route, with { scope } added. */}}
{{- define "gateway.route" -}}
{{- $values := .scope.Values }}
{{- $external := $values.external }}
{{- $isExternal := eq .cluster "external" }}
{{- $hidesIdentity := and $isExternal (not $external.forwardIdentity) }}
{{- /* The largest body of its prefix, or its own. It is also in the route's metadata, for the text of a 413. */}}
{{- $bodyKib := get . "bodyKib" | default (get $values.bodyKib .prefix) | default $values.limits.bodyKib | int -}}
- match: {{ toJson .match }}
  metadata: {filter_metadata: {store: {largestBody: {{ $bodyKib }} KiB{{ if eq .kind "open" }}, open: true{{ end }}}}}
  route:
    cluster: {{ .cluster }}
    {{- if eq .kind "open" }}
    {{- /* Envoy ignores a timeout beside it. */}}
    max_stream_duration: {max_stream_duration: {{ min $values.timeouts.open $values.timeouts.route }}s}
    {{- else if eq .kind "stream" }}
    timeout: 0s
    idle_timeout: {{ $values.timeouts.stream }}s
    {{- else if ne .cluster "self" }}
    timeout: {{ $values.timeouts.route }}s
    {{- end }}
    {{- if $isExternal }}
    {{- /* The site may take longer to answer than timeouts.stalled. */}}
    idle_timeout: {{ $values.timeouts.route }}s
    host_rewrite_literal: {{ (urlParse $external.url).host }}
    {{- if $external.stripPrefix }}
    regex_rewrite: {pattern: {regex: "^/external/?"}, substitution: /}
    {{- end }}
    {{- end }}
  {{- if $hidesIdentity }}
  request_headers_to_remove: [id-account, account-roles, account-scopes, authorization]
  {{- end }}
  {{- if and (eq .kind "open") (eq .cluster "self") }}
  # Envoy writes no Content-Length for the empty answer of /health-check to HEAD.
  response_headers_to_add: [{header: {key: content-length, value: "0"}, append_action: ADD_IF_ABSENT}]
  {{- end }}
  {{- if $isExternal }}
  {{- if $external.removeHeaders }}
  # Headers that apply to the whole origin, which is the store's
  response_headers_to_remove: [clear-site-data, strict-transport-security, service-worker-allowed, alt-svc, nel, report-to]
  {{- end }}
  {{- with $external.contentSecurityPolicy }}
  response_headers_to_add:
    - {header: {key: content-security-policy, value: {{ quote . }}}, append_action: APPEND_IF_EXISTS_OR_ADD}
  {{- end }}
  {{- end }}
  typed_per_filter_config:
    {{- if eq .kind "open" }}
    {{- range list "check" "identity" }}
    {{ . }}: {"@type": type.googleapis.com/envoy.config.route.v3.FilterConfig, disabled: true}
    {{- end }}
    {{- else }}
    # Only auth sets Authorization; the client's own never arrives.
    headers:
      "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutationPerRoute
      mutations: {request_mutations: [{remove: authorization}]}
    {{- end }}
    {{- /*
    During the token check, Envoy may hold a connection's buffer and an HTTP/2 window, 80 KiB. It would never read on if that were more
    than half of this limit. The limit is for bodies without a length; the service counts them exactly.
    */}}
    body:
      "@type": type.googleapis.com/envoy.extensions.filters.http.buffer.v3.BufferPerRoute
      {{- if eq .kind "upload" }}
      # The service takes it as it arrives, and counts it.
      disabled: true
      {{- else }}
      buffer: {max_request_bytes: {{ mul (ternary $bodyKib (max $bodyKib 192) (eq .kind "open")) 1024 }}}
      {{- end }}
    {{- if .compressed }}
    {{- range list "compressor" "vary-compressed" }}
    {{ . }}: {"@type": type.googleapis.com/envoy.config.route.v3.FilterConfig, config: {}}
    {{- end }}
    {{- end }}
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
          {{- .scope.Files.Get "files/request-cookies.lua" | nindent 10 }}
          {{- if $external.removeHeaders }}
          {{- .scope.Files.Get "files/response-cookies.lua" | nindent 10 }}
          {{- end }}
    {{- end }}
{{- end }}
