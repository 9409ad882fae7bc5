{{- /* Templates that gateway, services and PostgreSQL share. Each takes the scope of the component's chart. */}}

{{- define "component.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "component.labels" -}}
{{- include "store.labels" (dict "root" . "name" .Chart.Name) }}
{{- end }}

{{- define "component.serviceAccount" -}}
{{- if not .Values.serviceAccount.name }}
{{- include "store.serviceAccount" (dict "root" . "name" .Chart.Name "values" .Values) }}
{{- end }}
{{- end }}

{{- /* The timing of a probe: the component's values, or the given defaults. Takes { values, probe } and the defaults. */}}
{{- define "component.timings" -}}
{{- merge (dict) (get .values.probes .probe) (omit . "values" "probe") | toYaml }}
{{- end }}

{{- define "component.pod" -}}
{{- include "store.pod" (dict "root" . "values" .Values "serviceAccount" (.Values.serviceAccount.name | default .Chart.Name)) }}
{{- end }}

{{- /*
The reference to an image: with global.image.registry instead of its own host, and with its digest, which has the last part of the
image's name as its key. Takes { scope, image }.
*/}}
{{- define "component.reference" -}}
{{- $settings := .scope.Values.global.image }}
{{- $parts := splitList "/" .image }}
{{- $name := last $parts | regexFind "^[^:@]+" }}
{{- $hasHost := and (gt (len $parts) 1) (or (first $parts | regexMatch "[.:]") (eq (first $parts) "localhost")) }}
{{- $path := ternary (rest $parts) $parts (and $hasHost (ne "" ($settings.registry | default ""))) }}
{{- with $settings.registry }}
{{- $path = prepend $path . }}
{{- end }}
{{- with get ($settings.digests | default dict) $name }}
{{- printf "%s@%s" (regexReplaceAll "@.*" (join "/" $path) "") . }}
{{- else }}
{{- join "/" $path }}
{{- end }}
{{- end }}

{{- /* The port of a parsed URL, or the default of its scheme. */}}
{{- define "store.portOf" -}}
{{- if contains ":" .host }}{{ splitList ":" .host | last }}{{ else }}{{ ternary 443 80 (eq .scheme "https") }}{{ end }}
{{- end }}

{{- /* IP families of a Service. */}}
{{- define "store.ipFamilies" -}}
{{- with .Values.global.dualStack }}
{{- with .ipFamilyPolicy }}
ipFamilyPolicy: {{ . }}
{{- end }}
{{- with .ipFamilies }}
ipFamilies: {{ toJson . }}
{{- end }}
{{- end }}
{{- end }}

{{- /* "true" if pods may have an IPv6 address. :: also accepts IPv4, but not every node has IPv6. */}}
{{- define "store.hasIpv6" -}}
{{- with .Values.global.dualStack }}
{{- if or (has "IPv6" .ipFamilies) (hasSuffix "DualStack" .ipFamilyPolicy) }}true{{ end }}
{{- end }}
{{- end }}

{{- define "component.scheduling" -}}
{{- with .Values.topologySpreadConstraints }}
topologySpreadConstraints:
  {{- range . }}
  - {{- toYaml (merge (dict) . (dict "maxSkew" 1 "whenUnsatisfiable" "ScheduleAnyway")) | nindent 4 }}
    {{- if not .labelSelector }}
    matchLabelKeys: [pod-template-hash]
    labelSelector:
      matchLabels:
        {{- include "component.selector" $ | nindent 8 }}
    {{- end }}
  {{- end }}
{{- end }}
{{- range $name := list "nodeSelector" "tolerations" "affinity" }}
{{- with get $.Values $name }}
{{ dict $name . | toYaml }}
{{- end }}
{{- end }}
{{- with .Values.priorityClassName | default .Values.global.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- with .Values.runtimeClassName | default .Values.global.runtimeClassName }}
runtimeClassName: {{ . }}
{{- end }}
{{- with .Values.dnsConfig | default .Values.global.dnsConfig }}
dnsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- define "component.scaling" -}}
{{- if .Values.disruptionBudget }}
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ .Chart.Name }}
  labels:
    {{- include "component.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "component.selector" . | nindent 6 }}
{{- end }}
{{- with .Values.autoscaling }}
{{- if .enabled }}
---
{{- if .lag }}
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
{{- else }}
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
{{- end }}
metadata:
  name: {{ $.Chart.Name }}
  labels:
    {{- include "component.labels" $ | nindent 4 }}
  {{- if .lag }}
  annotations:
    # Takes over an earlier autoscaler by CPU, because KEDA refuses a second autoscaler.
    scaledobject.keda.sh/transfer-hpa-ownership: "true"
  {{- end }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ $.Chart.Name }} }
  {{- if .lag }}
  minReplicaCount: {{ .minReplicas }}
  maxReplicaCount: {{ .maxReplicas }}
  advanced:
    horizontalPodAutoscalerConfig:
      name: {{ $.Chart.Name }}
      {{- with .behavior }}
      behavior:
        {{- toYaml . | nindent 8 }}
      {{- end }}
  triggers:
    {{- with .cpuPercent }}
    - type: cpu
      metricType: Utilization
      metadata: { value: {{ . | quote }} }
    {{- end }}
    - type: prometheus
      metadata:
        serverAddress: {{ $.Values.global.prometheus | quote }}
        query: {{ printf `max(sum by (pod) (consumer_lag_messages{namespace="%s", group="%s"}))` $.Release.Namespace $.Values.kafka.group | quote }}
        threshold: {{ .lag | quote }}
        {{- with $.Values.global.prometheusAuthentication.modes }}
        authModes: {{ . | quote }}
        {{- end }}
      {{- with $.Values.global.prometheusAuthentication.ref }}
      authenticationRef:
        {{- toYaml . | nindent 8 }}
      {{- end }}
  {{- else }}
  minReplicas: {{ .minReplicas }}
  maxReplicas: {{ .maxReplicas }}
  {{- with .behavior }}
  behavior:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  metrics:
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: {{ .cpuPercent }} } }
  {{- end }}
{{- end }}
{{- end }}
{{- end }}

{{- /*
With an autoscaler, the present number of replicas: an upgrade without a number would begin with one replica, above all the upgrade
that switches the autoscaler on. No number without a cluster (helm template), nor if the autoscaler has set it and Helm uses
server-side apply: then the number stays, but naming it would conflict with a change that the autoscaler makes meanwhile.
*/}}
{{- define "component.replicas" -}}
{{- if not .Values.autoscaling.enabled }}
replicas: {{ .Values.replicas }}
{{- else }}
{{- with lookup "apps/v1" "Deployment" .Release.Namespace .Chart.Name }}
{{- $writes := list }}
{{- range .metadata.managedFields }}
{{- $writes = append $writes (list .operation .subresource | compact | join " ") }}
{{- end }}
{{- if not (and (has "Apply" $writes) (has "Update scale" $writes)) }}
replicas: {{ int64 .spec.replicas }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
