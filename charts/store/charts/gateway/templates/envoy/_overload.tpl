{{- /*
Limits the gateway's memory (docs/decisions/0020): the heap may fill half of the pod's limit; the rest is for the binary's pages,
fragmentation and the kernel's socket buffers. The fuller the heap, the more Envoy gives up, beginning with idle connections.
*/}}
{{- define "gateway.overload" -}}
refresh_interval: 0.1s
# Tracks the memory of each stream from 4 KiB on (2^12), so that the largest can be reset.
buffer_factory_config: {minimum_account_to_track_power_of_two: 12}
resource_monitors:
  - name: &heap envoy.resource_monitors.fixed_heap
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.resource_monitors.fixed_heap.v3.FixedHeapConfig
      max_heap_size_bytes: {{ div .model.memoryBytes 2 }}
  # Envoy warns without this limit. Memory runs out long before it is reached: a connection takes 12 KiB.
  - name: envoy.resource_monitors.global_downstream_max_connections
    typed_config:
      "@type": type.googleapis.com/envoy.extensions.resource_monitors.downstream_connections.v3.DownstreamConnectionsConfig
      max_active_downstream_connections: {{ div .model.memoryBytes 4096 }}
actions:
  - name: envoy.overload_actions.reduce_timeouts
    triggers: [{name: *heap, scaled: {scaling_threshold: 0.5, saturation_threshold: 0.8}}]
    typed_config:
      "@type": type.googleapis.com/envoy.config.overload.v3.ScaleTimersOverloadActionConfig
      timer_scale_factors:
        - {timer: HTTP_DOWNSTREAM_CONNECTION_IDLE, min_timeout: 1s}
        - {timer: HTTP_DOWNSTREAM_STREAM_IDLE, min_timeout: 3s}
  # Always on: freed memory stays resident, which the monitor does not see. Every 10 s this returns some of it to the system.
  - name: envoy.overload_actions.shrink_heap
    triggers: [{name: *heap, threshold: {value: 0.001}}]
  - name: envoy.overload_actions.disable_http_keepalive
    triggers: [{name: *heap, threshold: {value: 0.8}}]
  # HTTP/2 only: Envoy cannot reset an HTTP/1 stream.
  - name: envoy.overload_actions.reset_high_memory_stream
    triggers: [{name: *heap, scaled: {scaling_threshold: 0.8, saturation_threshold: 0.9}}]
  - name: envoy.overload_actions.stop_accepting_requests
    triggers: [{name: *heap, threshold: {value: 0.9}}]
  # New connections wait in the kernel.
  - name: envoy.overload_actions.stop_accepting_connections
    triggers: [{name: *heap, threshold: {value: 0.95}}]
# The last resort: Envoy reads nothing more from existing connections.
loadshed_points:
  - name: envoy.load_shed_points.http1_server_abort_dispatch
    triggers: [{name: *heap, threshold: {value: 0.97}}]
  - name: envoy.load_shed_points.http2_server_go_away_and_close_on_dispatch
    triggers: [{name: *heap, threshold: {value: 0.97}}]
{{- end }}
