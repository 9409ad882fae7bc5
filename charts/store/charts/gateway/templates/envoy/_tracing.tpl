{{- define "gateway.tracing" -}}
{{- with .Values.global.tracing -}}
operation: "%REQ(:METHOD)%"
spawn_upstream_span: true
# This tag would hold the whole URL, whose query may be secret.
max_path_tag_length: 0
custom_tags: [{tag: url.path, value: "%PATH(NQ:ORIG_OR_PATH):2048%"}]
provider:
  name: envoy.tracers.opentelemetry
  typed_config:
    "@type": type.googleapis.com/envoy.config.trace.v3.OpenTelemetryConfig
    service_name: gateway
    http_service:
      http_uri: {uri: {{ printf "%s/v1/traces" (trimSuffix "/" .endpoint) | quote }}, cluster: collector, timeout: 5s}
    # Samples by trace id, which is always Envoy's own: a client's traceparent is removed first.
    sampler:
      name: envoy.tracers.opentelemetry.samplers.trace_id_ratio_based
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.tracers.opentelemetry.samplers.v3.TraceIdRatioBasedSamplerConfig
        sampling_percentage: {numerator: {{ mulf .samplingPercent 10000 | int }}, denominator: MILLION}
{{- end }}
{{- end }}
