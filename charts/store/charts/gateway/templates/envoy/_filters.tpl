{{- /* Methods that both Envoy and Node.js know. */}}
{{- define "gateway.knownMethods" -}}
GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|QUERY|ACL|BIND|CHECKOUT|CONNECT|COPY|LINK|LOCK|M-SEARCH|MERGE|MKACTIVITY|MKCALENDAR|MKCOL|MOVE|NOTIFY|PROPFIND|PROPPATCH|PURGE|REBIND|REPORT|SEARCH|SOURCE|SUBSCRIBE|UNBIND|UNLINK|UNLOCK|UNSUBSCRIBE
{{- end }}

{{- /* Filters of a request before it is routed, in this order. The first one's additions reach the answers of all others. */}}
{{- define "gateway.filters" -}}
{{- with .Values -}}
- name: vary
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation
    mutations:
      response_mutations:
        - append: {header: {key: vary, value: Origin}, append_action: APPEND_IF_EXISTS_OR_ADD}
        {{- if and .tls.existingSecret .tls.hstsSeconds }}
        - append:
            header: {key: strict-transport-security, value: max-age={{ .tls.hstsSeconds | int64 }}}
            append_action: OVERWRITE_IF_EXISTS_OR_ADD
        {{- end }}
{{- if .compressed }}
{{ include "gateway.compression" $ }}
{{- end }}
# Addresses of IPv6 that embed IPv4 are all in one /64: of those the rates count each.
- name: embedding-address
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.common.matching.v3.ExtensionWithMatcher
    extension_config:
      name: embedding-address
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation
        mutations:
          request_mutations:
            - append: {header: {key: x-envoy-embedding-address, value: "%REQ(x-envoy-external-address)%"}}
    xds_matcher:
      matcher_list:
        matchers:
          - predicate:
              not_matcher:
                single_predicate:
                  {{- include "gateway.headerMatches" (list "x-envoy-external-address" "(::ffff:|64:ff9b:).*") | nindent 18 }}
            on_match:
              {{- include "gateway.skipsFilter" . | nindent 14 }}
- name: rate
  typed_config:
    {{- include "gateway.addressRates" $ | nindent 4 }}
{{- if .rateLimitService }}
{{ include "gateway.sharedRates" (dict "root" $ "name" "shared-rate" "actions" "gateway.addressActions") }}
{{- end }}
- name: cors
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.cors.v3.Cors
# A script for every request would cost a tenth of the gateway's time: only what changes something is looked at.
- name: other-sites
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.common.matching.v3.ExtensionWithMatcher
    extension_config:
      name: other-sites
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua
        default_source_code:
          inline_string: |
            {{- $.Files.Get "files/other-sites.lua" | nindent 12 }}
    xds_matcher:
      matcher_list:
        matchers:
          - predicate:
              and_matcher:
                predicate:
                  - single_predicate:
                      {{- include "gateway.headerMatches" (list ":method" "GET|HEAD|OPTIONS") | nindent 22 }}
                  - not_matcher:
                      single_predicate:
                        {{- include "gateway.headerMatches" (list ":path" "/auth/logout([?].*)?") | nindent 24 }}
            on_match:
              {{- include "gateway.skipsFilter" . | nindent 14 }}
# Each route has its own limit, here and in the body filter below, which does not count the last frame. A Content-Length is
# checked exactly, and before the body is read.
- name: length
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC
- name: malformed
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC
    rules:
      action: DENY
      policies:
        # What services answer with 405 comes to them; Node.js would refuse these as malformed, the token check included.
        unknown-method:
          permissions: [{any: true}]
          principals: [{not_id: {header: {name: ":method", string_match: {safe_regex: {regex: {{ include "gateway.knownMethods" $ | quote }}}}}}}]
        # Two lines of Host, which Envoy has joined (RFC 9112, 3.2)
        two-hosts:
          permissions: [{header: {name: ":authority", string_match: {contains: ","}}}]
          principals: [{any: true}]
        large-cookies:
          permissions: [{header: {name: cookie, string_match: {safe_regex: {regex: '\C{1000}\C*'}}}}]
          principals: [{any: true}]
          # size(bytes(request.headers["cookie"])) > limit: of all such headers together. Envoy takes no CEL as text here.
          condition:
            call_expr:
              function: _>_
              args:
                - call_expr:
                    function: size
                    args:
                      - call_expr:
                          function: bytes
                          args:
                            - call_expr:
                                function: _[_]
                                args:
                                  - select_expr: {operand: {ident_expr: {name: request}}, field: headers}
                                  - const_expr: {string_value: cookie}
                - const_expr: {int64_value: {{ mul .limits.cookiesKib 1024 }}}
# On secured routes auth sets Authorization; the client's own never arrives.
- name: authorization
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation
    mutations:
      request_mutations: [{remove: authorization}]
# A request without a token is answered without asking auth. \C is any byte: other cookies need not be UTF-8.
- name: token
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC
    rules:
      action: DENY
      policies:
        no-token:
          permissions: [{any: true}]
          principals:
            - not_id:
                header:
                  name: cookie
                  string_match:
                    safe_regex: {regex: '(\C*[;,])?[ \t]*__store_jwt_token[ \t]*=[ \t"]*[^ \t";,]\C*'}
{{- if eq .auth.call "solve" }}
- name: check
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua
    default_source_code:
      inline_string: |
        {{- tpl ($.Files.Get "files/solve.lua") $ | nindent 8 }}
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
      server_uri: {uri: http://auth, cluster: auth, timeout: {{ .timeouts.check }}s}
      # A check changes nothing, so it is safe to repeat.
      retry_policy: {retry_on: "connect-failure,reset", num_retries: 1}
      # Without it auth knows no API keys.
      authorization_request: {headers_to_add: [{key: gateway-passes-on, value: account-scopes}]}
      authorization_response:
        allowed_upstream_headers:
          patterns: [{exact: id-account}, {exact: account-roles}, {exact: account-scopes}, {exact: authorization}]
        # Without a list, every header of auth's answer would reach the client.
        allowed_client_headers: {patterns: [{exact: www-authenticate}]}
{{- end }}
# A 200 of auth without an account id is no identity.
- name: identity
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC
    rules:
      action: ALLOW
      policies:
        known-account:
          permissions: [{any: true}]
          principals:
            - header:
                name: id-account
                string_match:
                  safe_regex: {regex: "[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"}
# An API key has no scope for another site: the routes to the external site enable it. Services refuse keys themselves.
- name: api-key
  disabled: true
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC
# Behind the check, so that nothing is kept for a stranger. A slow client holds no connection of a service.
- name: body
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.buffer.v3.Buffer
    max_request_bytes: {{ mul .limits.bodyKib 1024 }}
{{- if .limits.orders.perMinute }}
- name: orders
  typed_config:
    {{- include "gateway.accountRates" $ | nindent 4 }}
{{- if .rateLimitService }}
{{ include "gateway.sharedRates" (dict "root" $ "name" "shared-orders" "actions" "gateway.orderActions") }}
{{- end }}
{{- end }}
# The routes to the external site enable it.
- name: token-cookie
  disabled: true
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua
- name: router
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router
{{- end }}
{{- end }}
