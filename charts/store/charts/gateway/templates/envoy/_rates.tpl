{{- /* Counts requests before their account is known. Before the CORS filter, so that preflights also count: files/problems.yaml adds the
CORS headers to a 429. */}}
{{- define "gateway.addressRates" -}}
{{ if .model.seesIpv6 -}}
# IPv6 addresses that embed IPv4 are all in one /64, so each of them counts on its own.
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
{{ end -}}
- name: rate
  typed_config:
    stat_prefix: rate
    {{- include "gateway.localRates" (dict "scope" . "limits" .model.rates.address "entries" (list "key: masked_remote_address" "key: embedding_address")) | nindent 4 }}
    {{- include "gateway.addressActions" . | nindent 4 }}
{{- if .Values.rateLimitService }}
- name: shared-rate
  typed_config:
    {{- include "gateway.sharedRates" . | nindent 4 }}
    {{- include "gateway.addressActions" . | nindent 4 }}
{{- end }}
{{- end }}

{{- /* Counts orders after the check, which sets the account. */}}
{{- define "gateway.orderRates" -}}
- name: orders
  typed_config:
    stat_prefix: orders
    {{- include "gateway.localRates" (dict "scope" . "limits" .model.rates.account "entries" (list "key: account")) | nindent 4 }}
    {{- include "gateway.orderActions" . | nindent 4 }}
{{- if .Values.rateLimitService }}
- name: shared-orders
  typed_config:
    {{- include "gateway.sharedRates" . | nindent 4 }}
    {{- include "gateway.orderActions" . | nindent 4 }}
{{- end }}
{{- end }}

{{- /* Limits that each replica counts for itself. An entry without a value makes a bucket for each value. Each limit has a descriptor
for every prefix of `entries`. Takes { scope, limits, entries }. */}}
{{- define "gateway.localRates" -}}
"@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
filter_enabled: {default_value: {numerator: 100}}
filter_enforced: {default_value: {numerator: 100}}
enable_retry_after_header: true
max_dynamic_descriptors: {{ .scope.Values.limits.addresses | int }}
descriptors:
  {{- range $limit := .limits }}
  {{- $named := ternary list (list (printf "key: header_match, value: %s" .name)) (eq .name "requests") }}
  {{- range $count, $_ := $.entries }}
  - entries: [{{ range $i, $entry := concat $named (slice $.entries 0 (add1 $count | int)) }}{{ if $i }}, {{ end }}{ {{- $entry -}} }{{ end }}]
    token_bucket: {max_tokens: {{ $limit.burst }}, tokens_per_fill: {{ $limit.count }}, fill_interval: {{ $limit.seconds }}s}
  {{- end }}
  {{- end }}
{{- end }}

{{- /* Limits that a service counts for all replicas. If it does not answer, each replica counts for itself. */}}
{{- define "gateway.sharedRates" -}}
"@type": type.googleapis.com/envoy.extensions.filters.http.ratelimit.v3.RateLimit
domain: store
timeout: 0.1s
failure_mode_deny: false
disable_x_envoy_ratelimited_header: true
rate_limit_service:
  transport_api_version: V3
  grpc_service: {envoy_grpc: {cluster_name: ratelimit}}
{{- end }}

{{- define "gateway.addressActions" -}}
{{- $limits := .Values.limits -}}
rate_limits:
  # A household or machine has a whole /64 of IPv6 (RFC 6177, 2), unless that embeds IPv4.
  - actions:
      - &client {masked_remote_address: {v4_prefix_mask_len: 32, v6_prefix_mask_len: 64}}
      - &embedding {request_headers: {header_name: x-envoy-embedding-address, descriptor_key: embedding_address, skip_if_absent: true}}
  - actions:
      - header_value_match:
          descriptor_value: credentials
          headers:
            - &post {name: ":method", string_match: {exact: POST}}
            - {name: ":path", string_match: {safe_regex: {regex: "/auth/(login|register|password-resets(/confirmation)?|email-confirmations)([?].*)?"}}}
      - *client
      - *embedding
  {{- if $limits.registrations.perHour }}
  - actions:
      - header_value_match:
          descriptor_value: registrations
          headers: [*post, {name: ":path", string_match: {safe_regex: {regex: "/auth/register([?].*)?"}}}]
      - *client
      - *embedding
  {{- end }}
  {{- if .Values.publicCatalogue }}
  # Requests count with or without a token.
  - actions:
      - header_value_match:
          descriptor_value: catalogue
          headers:
            - {name: ":method", string_match: {safe_regex: {regex: "GET|HEAD"}}}
            - {name: ":path", string_match: {safe_regex: {regex: "/products([/?].*)?"}}}
      - *client
      - *embedding
  {{- end }}
{{- end }}

{{- define "gateway.orderActions" -}}
rate_limits:
  - actions:
      - header_value_match:
          descriptor_value: orders
          headers:
            - {name: ":method", string_match: {exact: POST}}
            - {name: ":path", string_match: {safe_regex: {regex: "/orders([?].*)?"}}}
      - request_headers: {header_name: id-account, descriptor_key: account}
{{- end }}
