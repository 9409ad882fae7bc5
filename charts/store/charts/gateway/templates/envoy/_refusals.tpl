{{- /*
Refuses requests by their headers, before the token check and before the body is read. One filter holds all policies, because each RBAC
filter costs about 2 % of the gateway's CPU. The first policy that matches decides, in alphabetical order. What depends on the route is
in its metadata: with a copy of the policies for each route, the gateway would take 5 MiB more.
*/}}
{{- define "gateway.refusals" -}}
- name: refusals
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.rbac.v3.RBAC
    rules:
      action: DENY
      policies:
        # Each route has its own limit, here and in the body filter, which does not count the last frame. Content-Length is exact.
        too-large:
          permissions: [{any: true}]
          principals:
            {{- range .model.largestBodies }}
            - and_ids:
                ids:
                  - header: {name: content-length, range_match: {start: {{ add1 (mul (int .) 1024) }}, end: 9223372036854775807}}
                  - sourced_metadata:
                      metadata_source: ROUTE
                      metadata_matcher: {filter: store, path: [{key: largestBody}], value: {string_match: {exact: {{ int . }} KiB}}}
            {{- end }}
        too-large-cookies:
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
        # Two Host lines, which Envoy has joined (RFC 9112, 3.2)
        two-hosts:
          permissions: [{header: {name: ":authority", string_match: {contains: ","}}}]
          principals: [{any: true}]
        # Methods that Envoy or Node.js does not know: Node.js would refuse them as malformed, also in the token check. Services answer 405 to the others.
        unknown-method:
          permissions: [{any: true}]
          principals: [{not_id: {header: {name: ":method", string_match: {safe_regex: {regex: "GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|TRACE|QUERY|ACL|BIND|CHECKOUT|CONNECT|COPY|LINK|LOCK|M-SEARCH|MERGE|MKACTIVITY|MKCALENDAR|MKCOL|MOVE|NOTIFY|PROPFIND|PROPPATCH|PURGE|REBIND|REPORT|SEARCH|SOURCE|SUBSCRIBE|UNBIND|UNLINK|UNLOCK|UNSUBSCRIBE"}}}}}]
        # A request without a token is answered without asking auth. \C is any byte: other cookies need not be UTF-8.
        without-token:
          permissions: [{any: true}]
          principals:
            - and_ids:
                ids:
                  - not_id:
                      header:
                        name: cookie
                        string_match: {safe_regex: {regex: '(\C*[;,])?[ \t]*__store_jwt_token[ \t]*=[ \t"]*[^ \t";,]\C*'}}
                  - not_id:
                      sourced_metadata:
                        metadata_source: ROUTE
                        metadata_matcher: {filter: store, path: [{key: open}], value: {bool_match: true}}
{{- end }}
