{{- /* What all filters of rates have in common. An entry of a descriptor without a value is a bucket for each value. */}}
{{- define "gateway.rates" -}}
"@type": type.googleapis.com/envoy.extensions.filters.http.local_ratelimit.v3.LocalRateLimit
filter_enabled: {default_value: {numerator: 100}}
filter_enforced: {default_value: {numerator: 100}}
enable_retry_after_header: true
max_dynamic_descriptors: {{ .Values.limits.addresses | int }}
{{- end }}

{{- /* What is counted of a request before it has an account. */}}
{{- define "gateway.addressActions" -}}
{{- $limits := .Values.limits -}}
rate_limits:
  # A household or machine has a whole /64 of IPv6 (RFC 6177, 2).
  - actions: [&client {masked_remote_address: {v4_prefix_mask_len: 32, v6_prefix_mask_len: 64}}]
  - actions:
      - header_value_match:
          descriptor_value: credentials
          headers:
            - &post {name: ":method", string_match: {exact: POST}}
            - {name: ":path", string_match: {safe_regex: {regex: "/auth/(login|register|password-resets(/confirmation)?|email-confirmations)([?].*)?"}}}
      - *client
  {{- if $limits.registrations.perHour }}
  - actions:
      - header_value_match:
          descriptor_value: registrations
          headers: [*post, {name: ":path", string_match: {safe_regex: {regex: "/auth/register([?].*)?"}}}]
      - *client
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
{{- $limits := .Values.limits -}}
{{ include "gateway.rates" . }}
stat_prefix: rate
{{ include "gateway.addressActions" . }}
descriptors:
  - entries: [{key: masked_remote_address}]
    token_bucket:
      max_tokens: {{ $limits.requests.burst | int }}
      tokens_per_fill: {{ $limits.requests.perSecond | int }}
      fill_interval: 1s
  - entries: [{key: header_match, value: credentials}, {key: masked_remote_address}]
    token_bucket:
      max_tokens: {{ $limits.credentials.burst | int }}
      tokens_per_fill: {{ $limits.credentials.perSecond | int }}
      fill_interval: 1s
  {{- if .Values.publicCatalogue }}
  - entries: [{key: header_match, value: catalogue}, {key: masked_remote_address}]
    token_bucket:
      max_tokens: {{ $limits.catalogue.burst | int }}
      tokens_per_fill: {{ $limits.catalogue.perSecond | int }}
      fill_interval: 1s
  {{- end }}
  {{- with $limits.registrations.perHour }}
  - entries: [{key: header_match, value: registrations}, {key: masked_remote_address}]
    token_bucket: {max_tokens: {{ int . }}, tokens_per_fill: {{ int . }}, fill_interval: 3600s}
  {{- end }}
{{- end }}

{{- /* Behind the check, which sets the account. */}}
{{- define "gateway.accountRates" -}}
{{- $perMinute := int .Values.limits.orders.perMinute -}}
{{ include "gateway.rates" . }}
stat_prefix: orders
{{ include "gateway.orderActions" . }}
descriptors:
  - entries: [{key: header_match, value: orders}, {key: account}]
    token_bucket: {max_tokens: {{ $perMinute }}, tokens_per_fill: {{ $perMinute }}, fill_interval: 60s}
{{- end }}

{{- /*
Headers of a 429 after draft-ietf-httpapi-ratelimit-headers, a JSON map by who has used up a limit, whichever of its own it was: which
limits there are, and when there are tokens again.
*/}}
{{- define "gateway.rateHeaders" -}}
{{- $limits := .Values.limits }}
{{- $address := list (printf `"requests";q=%d;w=1` (int $limits.requests.perSecond)) (printf `"credentials";q=%d;w=1` (int $limits.credentials.perSecond)) }}
{{- if .Values.publicCatalogue }}
{{- $address = append $address (printf `"catalogue";q=%d;w=1` (int $limits.catalogue.perSecond)) }}
{{- end }}
{{- with $limits.registrations.perHour }}
{{- $address = append $address (printf `"registrations";q=%d;w=3600` (int .)) }}
{{- end }}
{{- $policies := dict "address" (join ", " $address) "account" (printf `"orders";q=%d;w=60` (int $limits.orders.perMinute)) }}
{{- $headers := dict }}
{{- range $who, $policy := $policies }}
{{- $_ := set $headers $who (dict "ratelimit-policy" $policy "ratelimit" (printf `"%s";r=0;t=%%RESP(retry-after)%%` $who)) }}
{{- end }}
{{- toJson $headers }}
{{- end }}
