{{- /* The listener for plain HTTP beside TLS. 308 keeps method and body; nothing is forwarded. */}}
{{- define "gateway.redirect" -}}
{{- with .Values -}}
- name: redirect
  address:
    socket_address: { {{- $.model.listens }}, port_value: {{ .port }}}
  enable_reuse_port: {{ .reusePort }}
  per_connection_buffer_limit_bytes: *connectionBuffer
  listener_filters:
    {{- include "gateway.proxyProtocol" $ | nindent 4 }}
    - name: envoy.filters.listener.http_inspector
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.filters.listener.http_inspector.v3.HttpInspector
  listener_filters_timeout: {{ .timeouts.firstRequest }}s
  filter_chains:
    - filters:
        - name: envoy.filters.network.http_connection_manager
          typed_config:
            "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
            stat_prefix: redirect
            strip_any_host_port: true
            {{- include "gateway.connections" $ | nindent 12 }}
            access_log: *accessLog
            local_reply_config: *problems
            http_filters: *router-only
            route_config:
              virtual_hosts:
                - name: redirect
                  domains: ["*"]
                  routes:
                    - match: {prefix: /}
                      redirect: {https_redirect: true{{ if ne (int .tls.publicPort) 443 }}, port_redirect: {{ .tls.publicPort }}{{ end }}, response_code: PERMANENT_REDIRECT}
{{- end }}
{{- end }}
