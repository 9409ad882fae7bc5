{{- /* Before anything else reads from a connection, unless it comes to the port for the inside of the cluster. */}}
{{- define "gateway.proxyProtocol" -}}
{{- if .Values.proxyProtocol -}}
- name: envoy.filters.listener.proxy_protocol
  filter_disabled: {destination_port_range: {start: {{ .Values.insidePort }}, end: {{ add .Values.insidePort 1 }}}}
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.listener.proxy_protocol.v3.ProxyProtocol
{{- end }}
{{- end }}

{{- /* How requests of clients are taken, on every port that they reach. Of the connection manager. */}}
{{- define "gateway.fromClients" -}}
{{- with .Values -}}
use_remote_address: true
xff_num_trusted_hops: {{ include "gateway.trustedHops" $ }}
# No address is internal, not even this machine's: an internal client may choose its request id and more.
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
# From the idle time-out, or a first GOAWAY, until the connection is closed. Memory waits for it.
drain_timeout: 1s
request_headers_timeout: {{ .timeouts.requestHeaders }}s
request_timeout: {{ .timeouts.request }}s
stream_idle_timeout: {{ .timeouts.stalled }}s
# For the end of an answer, which waits here and occupies no service. Envoy counts from its beginning, however a client reads.
stream_flush_timeout: {{ add .timeouts.route 5 }}s
{{- end }}
{{- end }}

{{- /*
A mutation of X-Forwarded-For before Envoy reads it, which understands neither ports nor brackets: the address that the trusted proxy
has added, as 192.0.2.7:4711, [2001:db8::7]:4711 or [2001:db8::7], becomes the address alone. Only what
looks like one of these is compared with the expression.
*/}}
{{- define "gateway.addressWithoutPort" -}}
{{- $hops := include "gateway.trustedHops" . | int }}
{{- if $hops }}
{{- $address := `"?(?:([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.]+)[^\],]*\](?::[0-9]+)?)"?` }}
{{- $regex := printf `^(.*,)?[ \t]*%s[ \t]*((?:,[^,]*){%d})$` $address (sub $hops 1) }}
{{- $header := `request.headers["x-forwarded-for"]` }}
{{- $isWithPort := printf `(%[1]s.contains("]") || %[1]s.contains(".") && %[1]s.contains(":"))` $header }}
- append:
    header:
      key: x-forwarded-for
      value: {{ printf `%%CEL(%s ? re.extract(%s, r'%s', r'\1\2\3\4') : "")%%` $isWithPort $header $regex | quote }}
    append_action: OVERWRITE_IF_EXISTS
{{- end }}
{{- end }}

{{- /* By default one in front where the chart puts it there, if nobody gets past it from outside the cluster. */}}
{{- define "gateway.trustedHops" -}}
{{- $inFront := or .Values.ingress.enabled .Values.httpRoute.enabled }}
{{- $default := ternary 1 0 (and $inFront (eq .Values.service.type "ClusterIP")) }}
{{- kindIs "invalid" .Values.trustedHops | ternary $default .Values.trustedHops }}
{{- end }}
