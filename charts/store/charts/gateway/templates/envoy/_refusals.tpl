{{- define "gateway.malformed" -}}
- name: malformed
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC
    rules:
      action: DENY
      policies:
        # Methods that Envoy or Node.js does not know: Node.js would refuse them as malformed, also in the token check. Services answer 405 to the others.
        unknown-method:
          permissions: [{any: true}]
          principals: [{not_id: {header: {name: ":method", string_match: {safe_regex: {regex: "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|QUERY|ACL|BIND|CHECKOUT|CONNECT|COPY|LINK|LOCK|M-SEARCH|MERGE|MKACTIVITY|MKCALENDAR|MKCOL|MOVE|NOTIFY|PROPFIND|PROPPATCH|PURGE|REBIND|REPORT|SEARCH|SOURCE|SUBSCRIBE|UNBIND|UNLINK|UNLOCK|UNSUBSCRIBE"}}}}}]
        # Two Host lines, which Envoy has joined (RFC 9112, 3.2)
        two-hosts:
          permissions: [{header: {name: ":authority", string_match: {contains: ","}}}]
          principals: [{any: true}]
        large-cookies:
          permissions: [{header: {name: cookie, string_match: {safe_regex: {regex: '\C{1000}\C*'}}}}]
          principals: [{any: true}]
          # size(bytes(request.headers["cookie"])) > limit, for all Cookie headers together. Envoy does not accept CEL as text here.
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
                - const_expr: {int64_value: {{ mul .Values.limits.cookiesKib 1024 }}}
{{- end }}
