{{- /* Where requests go: the services, the external site, the trace collector, and Envoy itself. */}}
{{- define "gateway.clusters" -}}
{{- range $name, $upstream := .model.clusters }}
- name: {{ $name }}
  cluster_type: &dns
    name: envoy.cluster.dns
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.clusters.dns.v3.DnsCluster
      dns_lookup_family: V4_PREFERRED
      # Finds new and terminating replicas soon during a rolling update.
      dns_refresh_rate: 2s
  connect_timeout: {{ $.Values.timeouts.connect }}s
  # The part of an answer that waits here while the client reads slowly
  per_connection_buffer_limit_bytes: *connectionBuffer
  # Leaves out an unreachable replica for a while, but not a replica that answers 5xx: the request may be the cause.
  outlier_detection:
    split_external_local_origin_errors: true
    consecutive_local_origin_failure: 1
    enforcing_consecutive_local_origin_failure: 100
    enforcing_consecutive_5xx: 0
    enforcing_consecutive_gateway_failure: 0
    enforcing_success_rate: 0
    enforcing_local_origin_success_rate: 0
    interval: 1s
    base_ejection_time: 5s
    max_ejection_time: 30s
    max_ejection_percent: 50
  # With Envoy's default of three retries at a time, requests would fail when a replica terminates under load.
  {{- if eq $name "auth" }}
  # Default limits: with more than 1024 checks at a time, and as many waiting, answers would only come too late.
  circuit_breakers: {thresholds: [{max_retries: 100}]}
  {{- else }}
  # An answer that its client does not read keeps its connection until the idle time-out of the stream. Memory runs out first.
  circuit_breakers: {thresholds: [{max_retries: 100, max_connections: 20000, max_requests: 20000}]}
  {{- end }}
  typed_extension_protocol_options: &connections
    envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
      "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
      explicit_http_config: {http_protocol_options: {}}
      common_http_protocol_options:
        # Shorter than the keep-alive (75 s) and the draining (5 s or more) of a service, so that a service never closes a
        # connection on which a POST is being sent.
        idle_timeout: 4s
        # If a name resolves to one address for several replicas, only new connections reach new replicas.
        max_connection_duration: 60s
  load_assignment:
    cluster_name: {{ $name }}
    endpoints:
      - lb_endpoints:
          - endpoint: {address: {socket_address: {address: {{ $upstream.host | quote }}, port_value: {{ $upstream.port }}}}}
{{- end }}
{{- with .Values.external.url }}
- name: external
  cluster_type: *dns
  # The gateway starts even if the site cannot be resolved.
  wait_for_warm_on_init: false
  connect_timeout: {{ $.Values.timeouts.connect }}s
  per_connection_buffer_limit_bytes: *connectionBuffer
  typed_extension_protocol_options: *connections
  {{- include "gateway.endpoint" (dict "name" "external" "url" (urlParse .) "trustedCa" $.Values.external.trustedCa) | nindent 2 }}
{{- end }}
{{- with .Values.rateLimitService }}
- name: ratelimit
  cluster_type: *dns
  # The gateway starts even if the service cannot be resolved.
  wait_for_warm_on_init: false
  connect_timeout: {{ $.Values.timeouts.connect }}s
  typed_extension_protocol_options:
    envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
      "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
      explicit_http_config: {http2_protocol_options: {}}
  load_assignment:
    cluster_name: ratelimit
    endpoints:
      - lb_endpoints:
          - endpoint:
              address: {socket_address: {address: {{ splitList ":" . | first | quote }}, port_value: {{ splitList ":" . | last }}}}
{{- end }}
{{- with .Values.global.tracing.endpoint }}
- name: collector
  cluster_type: *dns
  # The gateway starts even if the collector cannot be resolved.
  wait_for_warm_on_init: false
  connect_timeout: {{ $.Values.timeouts.connect }}s
  {{- include "gateway.endpoint" (dict "name" "collector" "url" (urlParse .) "trustedCa" $.Values.external.trustedCa) | nindent 2 }}
{{- end }}
- name: self
  load_assignment:
    cluster_name: self
    endpoints:
      - lb_endpoints:
          - endpoint: {address: {envoy_internal_address: {server_listener_name: self}}}
- name: admin
  load_assignment:
    cluster_name: admin
    endpoints:
      - lb_endpoints:
          - endpoint:
              address:
                {{ ternary "pipe" "socket_address" (ne .Values.adminSocket "") }}: *admin
{{- end }}

{{- /* The only endpoint of a cluster outside the release. Envoy verifies its certificate if the URL is https. */}}
{{- define "gateway.endpoint" -}}
{{- $host := splitList ":" .url.host | first | quote -}}
load_assignment:
  cluster_name: {{ .name }}
  endpoints:
    - lb_endpoints:
        - endpoint: {address: {socket_address: {address: {{ $host }}, port_value: {{ include "store.portOf" .url }}}}}
{{- if eq .url.scheme "https" }}
transport_socket:
  name: envoy.transport_sockets.tls
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext
    sni: {{ $host }}
    common_tls_context:
      validation_context:
        trusted_ca: {filename: {{ .trustedCa | quote }}}
        match_typed_subject_alt_names:
          - {san_type: DNS, matcher: {exact: {{ $host }}}}
{{- end }}
{{- end }}
