{{- /* Settings of the HTTP connection manager on every client-facing port. */}}
{{- define "gateway.connections" -}}
{{- with .Values -}}
use_remote_address: true
xff_num_trusted_hops: {{ $.model.trustedHops }}
# No address is internal, not even this machine's: internal clients may choose their request id and more.
internal_address_config: {cidr_ranges: [{address_prefix: 255.255.255.255, prefix_len: 32}]}
always_set_request_id_in_response: true
normalize_path: true
merge_slashes: true
path_with_escaped_slashes_action: REJECT_REQUEST
max_request_headers_kb: {{ .limits.headersKib }}
common_http_protocol_options:
  # A service's platform might read id_account as id-account.
  headers_with_underscores_action: REJECT_REQUEST
  max_headers_count: 100
  idle_timeout: {{ .timeouts.clientIdle }}s
http2_protocol_options:
  max_concurrent_streams: 100
  initial_stream_window_size: 65536
  initial_connection_window_size: 1048576
# Time from the idle time-out, or a first GOAWAY, until the connection is closed. Its memory is held until then.
drain_timeout: 1s
request_headers_timeout: {{ .timeouts.requestHeaders }}s
request_timeout: {{ .timeouts.request }}s
stream_idle_timeout: {{ .timeouts.stalled }}s
# Time to send the end of an answer, which waits here and occupies no service. Envoy counts from the start of the flush, even if the
# client reads on.
stream_flush_timeout: {{ add .timeouts.route 5 }}s
{{- end }}
{{- end }}

{{- /* Runs before anything else reads from a connection, except on insidePort. */}}
{{- define "gateway.proxyProtocol" -}}
{{- if .Values.proxyProtocol -}}
- name: envoy.filters.listener.proxy_protocol
  filter_disabled: {destination_port_range: {start: {{ .Values.insidePort }}, end: {{ add .Values.insidePort 1 }}}}
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol
{{- end }}
{{- end }}
