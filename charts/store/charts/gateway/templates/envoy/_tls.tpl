{{- /* Ends TLS in a filter chain. Ciphers and curves are Envoy's defaults: ECDHE with AES-GCM or ChaCha20-Poly1305 only. */}}
{{- define "gateway.endOfTls" -}}
transport_socket_connect_timeout: {{ .Values.timeouts.firstRequest }}s
transport_socket:
  name: envoy.transport_sockets.tls
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.DownstreamTlsContext
    common_tls_context:
      alpn_protocols: [h2, http/1.1]
      tls_params: {tls_minimum_protocol_version: TLSv1_2}
      tls_certificate_sds_secret_configs:
        - name: certificate
          sds_config: {path_config_source: {path: /etc/envoy/certificate.yaml}}
{{- end }}

{{- /* The listener for plain HTTP beside TLS. 308 keeps method and body; nothing is forwarded. */}}
{{- define "gateway.redirect" -}}
{{- with .Values -}}
- name: redirect
  address:
    {{- include "gateway.listens" (dict "root" $ "port" .port) | nindent 4 }}
  enable_reuse_port: {{ .reusePort }}
  per_connection_buffer_limit_bytes: *connectionBuffer
  listener_filters:
    {{- with include "gateway.proxyProtocol" $ }}
    {{- . | nindent 4 }}
    {{- end }}
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
            {{- include "gateway.fromClients" $ | nindent 12 }}
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
