{{- /*
Alerts on error budgets, each by two windows: the long one says that the budget matters, the short one that it is still being
used (The Site Reliability Workbook, chapter 5, "Multiwindow, Multi-Burn-Rate Alerts"). A burn rate of 1 uses up the budget in
the 30 days of the objective.
*/}}
{{- define "store.objectives" -}}
{{- $objectives := .Values.monitoring.objectives }}
name: store-objectives
page: objectives
rules:
  {{- range $window := list "5m" "30m" "1h" "6h" "3d" }}
  # Failures of the external site are not the store's.
  - record: namespace:store_failed_requests:ratio_rate{{ $window }}
    expr: |
      (
        sum by (namespace) (rate(envoy_http_downstream_rq_xx{job="store", namespace="$namespace", envoy_http_conn_manager_prefix="store", envoy_response_code_class="5"}[{{ $window }}]))
        - (
          sum by (namespace) (rate(envoy_cluster_upstream_rq_xx{job="store", namespace="$namespace", envoy_cluster_name="external", envoy_response_code_class="5"}[{{ $window }}]))
          or sum by (namespace) (0 * rate(envoy_http_downstream_rq_xx{job="store", namespace="$namespace", envoy_http_conn_manager_prefix="store"}[{{ $window }}]))
        )
      )
      / sum by (namespace) (rate(envoy_http_downstream_rq_xx{job="store", namespace="$namespace", envoy_http_conn_manager_prefix="store"}[{{ $window }}]))
  # Prometheus 3 writes the label le with a decimal point. Orders that were rejected, or cancelled by their owners, count neither as
  # in time nor as late.
  - record: namespace:store_late_orders:ratio_rate{{ $window }}
    expr: |
      1 - sum by (namespace) (rate(order_confirmation_seconds_bucket{job="store", namespace="$namespace", le=~"{{ $objectives.confirmation.seconds }}([.]0)?"}[{{ $window }}]))
      / (
        sum by (namespace) (rate(order_confirmation_seconds_count{job="store", namespace="$namespace"}[{{ $window }}]))
        + sum by (namespace) (rate(orders_timed_out_total{job="store", namespace="$namespace"}[{{ $window }}]))
      )
  {{- end }}
  {{- $failed := dict "share" "namespace:store_failed_requests:ratio_rate" "percent" $objectives.availability }}
  - alert: StoreAvailabilityBudget
    expr: |
      {{- include "store.burnsFast" $failed | nindent 6 }}
    labels: { severity: critical }
    annotations: &failed
      summary: '{{ "{{ $value | humanizePercentage }}" }} of the requests fail; {{ $objectives.availability }} % should succeed'
      description: >-
        The dashboard shows which service and route returns 5xx. Look for level error in the log of that service. The gateway's
        log has the reason for its own answers in the fields details and flags.
  - alert: StoreAvailabilityBudget
    expr: |
      {{- include "store.burnsSlowly" $failed | nindent 6 }}
    labels: { severity: warning }
    annotations: *failed
  {{- $late := dict "share" "namespace:store_late_orders:ratio_rate" "percent" $objectives.confirmation.percent }}
  - alert: StoreConfirmationBudget
    expr: |
      {{- include "store.burnsFast" $late | nindent 6 }}
    labels: { severity: critical }
    annotations: &late
      summary: >-
        {{ "{{ $value | humanizePercentage }}" }} of the orders are confirmed late or not at all;
        {{ $objectives.confirmation.percent }} % should be CONFIRMED within {{ $objectives.confirmation.seconds }} s
      description: >-
        Look for lagging groups, events that wait in an outbox, and the time that payment and inventory take. Orders are still
        accepted, and nothing is lost.
  - alert: StoreConfirmationBudget
    expr: |
      {{- include "store.burnsSlowly" $late | nindent 6 }}
    labels: { severity: warning }
    annotations: *late
{{- end }}

{{- /* 2 % of the budget in an hour, or 5 % in six hours. */}}
{{- define "store.burnsFast" -}}
{{ .share }}1h{namespace="$namespace"} > 14.4 * (1 - {{ .percent }} / 100) and {{ .share }}5m{namespace="$namespace"} > 14.4 * (1 - {{ .percent }} / 100)
or {{ .share }}6h{namespace="$namespace"} > 6 * (1 - {{ .percent }} / 100) and {{ .share }}30m{namespace="$namespace"} > 6 * (1 - {{ .percent }} / 100)
{{- end }}

{{- /* 10 % of the budget in three days. */}}
{{- define "store.burnsSlowly" -}}
{{ .share }}3d{namespace="$namespace"} > 1 - {{ .percent }} / 100 and {{ .share }}6h{namespace="$namespace"} > 1 - {{ .percent }} / 100
{{- end }}
