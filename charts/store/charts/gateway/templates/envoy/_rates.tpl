{{- /* Parts that all filters of rates share. An entry of a descriptor without a value is a bucket for each value. */}}
{{- define "gateway.rates" -}}
"@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
filter_enabled: {default_value: {numerator: 100}}
filter_enforced: {default_value: {numerator: 100}}
enable_retry_after_header: true
max_dynamic_descriptors: {{ .Values.limits.addresses | int }}
{{- end }}

{{- /* Counts requests before their account is known. */}}
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
  # With or without a token: nobody looks at that.
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

{{- /* The same, counted by a service for all replicas. Without its answer the limits of each replica hold. Takes { root, name, actions }. */}}
{{- define "gateway.sharedRates" -}}
- name: {{ .name }}
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.filters.http.ratelimit.v3.RateLimit
    domain: store
    timeout: 0.1s
    failure_mode_deny: false
    disable_x_envoy_ratelimited_header: true
    rate_limit_service:
      transport_api_version: V3
      grpc_service: {envoy_grpc: {cluster_name: ratelimit}}
    {{- include .actions .root | nindent 4 }}
{{- end }}

{{- /* Before the filter of CORS, so that preflights count too: a 429 gets the headers of CORS from gateway.localReplies. */}}
{{- define "gateway.addressRates" -}}
{{ include "gateway.rates" . }}
stat_prefix: rate
{{ include "gateway.addressActions" . }}
{{ include "gateway.buckets" (dict "root" . "who" "address" "key" "masked_remote_address" "furtherKey" "embedding_address") }}
{{- end }}

{{- /* Behind the check, which sets the account. */}}
{{- define "gateway.accountRates" -}}
{{ include "gateway.rates" . }}
stat_prefix: orders
{{ include "gateway.orderActions" . }}
{{ include "gateway.buckets" (dict "root" . "who" "account" "key" "account") }}
{{- end }}

{{- define "gateway.buckets" -}}
descriptors:
  {{- range $limit := get (include "gateway.rateLimits" .root | fromYaml) .who }}
  {{- range $further := ternary (list "" $.furtherKey) (list "") (hasKey $ "furtherKey") }}
  - entries: [{{ if ne $limit.name "requests" }}{key: header_match, value: {{ $limit.name }}}, {{ end }}{key: {{ $.key }}}{{ with $further }}, {key: {{ . }}}{{ end }}]
    token_bucket: {max_tokens: {{ int $limit.burst }}, tokens_per_fill: {{ int $limit.count }}, fill_interval: {{ int $limit.seconds }}s}
  {{- end }}
  {{- end }}
{{- end }}

{{- /* The limits that there are, in YAML: for each of its own kind of caller, by what the actions above call them. */}}
{{- define "gateway.rateLimits" -}}
{{- $limits := .Values.limits -}}
address:
  {{- range $name := list "requests" "credentials" "catalogue" }}
  {{- if or (ne $name "catalogue") $.Values.publicCatalogue }}
  {{- with get $limits $name }}
  - { name: {{ $name }}, unit: second, seconds: 1, count: {{ int .perSecond }}, burst: {{ int .burst }} }
  {{- end }}
  {{- end }}
  {{- end }}
  {{- with $limits.registrations.perHour }}
  - { name: registrations, unit: hour, seconds: 3600, count: {{ int . }}, burst: {{ int . }} }
  {{- end }}
account:
  {{- with $limits.orders.perMinute }}
  - { name: orders, unit: minute, seconds: 60, count: {{ int . }}, burst: {{ int . }} }
  {{- end }}
{{- end }}

{{- /*
Headers of a 429 after draft-ietf-httpapi-ratelimit-headers, a JSON map by who has used up a limit, whichever of its own it was: which
limits there are, and when there are tokens again.
*/}}
{{- define "gateway.rateHeaders" -}}
{{- $headers := dict }}
{{- range $who, $limits := include "gateway.rateLimits" . | fromYaml }}
{{- $policies := list }}
{{- range $limits }}
{{- $policies = append $policies (printf `"%s";q=%d;w=%d` .name (int .count) (int .seconds)) }}
{{- end }}
{{- $_ := set $headers $who (dict "ratelimit-policy" (join ", " $policies) "ratelimit" (printf `"%s";r=0;t=%%RESP(retry-after)%%` $who)) }}
{{- end }}
{{- toJson $headers }}
{{- end }}
