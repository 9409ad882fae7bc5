{{- /* Asks auth whose token it is. */}}
{{- define "gateway.check" -}}
{{- if eq .Values.auth.call "solve" }}
- name: check
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua
    default_source_code:
      inline_string: |
        {{- tpl (.Files.Get "files/solve.lua") . | nindent 8 }}
{{- else }}
- name: check
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.ext_authz.v3.ExtAuthz
    failure_mode_allow: false
    status_on_error: {code: ServiceUnavailable}
    validate_mutations: true
    allowed_headers:
      patterns: [{exact: cookie}, {exact: x-request-id}, {exact: traceparent}]
    http_service:
      path_override: /check
      server_uri: {uri: http://auth, cluster: auth, timeout: {{ .Values.timeouts.check }}s}
      # A check changes nothing, so it is safe to repeat.
      retry_policy: {retry_on: "connect-failure,reset", num_retries: 1}
      # Without this header auth does not accept API keys.
      authorization_request: {headers_to_add: [{key: gateway-passes-on, value: account-scopes}]}
      authorization_response:
        allowed_upstream_headers:
          patterns: [{exact: id-account}, {exact: account-roles}, {exact: account-scopes}, {exact: authorization}]
        # Without a list, every header of auth's answer would reach the client.
        allowed_client_headers: {patterns: [{exact: www-authenticate}]}
{{- end }}
{{- end }}
