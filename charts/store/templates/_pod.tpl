{{- /* What every pod of the release has in common. Each takes { root, values }: the scope of a chart, and the values of the pod. */}}

{{- /* Its labels and annotations. Takes { name, labels, annotations }, too: what the pod has of its own, which nothing replaces. */}}
{{- define "store.podMetadata" -}}
{{- $global := .root.Values.global }}
{{- $own := include "store.podLabels" . | fromYaml | merge (dict) (.labels | default dict) }}
labels:
  {{- merge $own (.values.podLabels | default dict) $global.podLabels | toYaml | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) (.values.podAnnotations | default dict) $global.podAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* Takes { serviceAccount, token }, too: its name, and true for a pod that calls the API server. */}}
{{- define "store.pod" -}}
{{- with .serviceAccount }}
serviceAccountName: {{ . }}
{{- end }}
automountServiceAccountToken: {{ .token | default false }}
enableServiceLinks: false
securityContext:
  {{- include "store.podSecurityContext" . | nindent 2 }}
{{- with .root.Values.global.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with include "component.scheduling" (dict "Values" (merge (dict "global" .root.Values.global) .values) "Chart" .root.Chart "Release" .root.Release) }}
{{- trim . | nindent 0 }}
{{- end }}
{{- end }}

{{- /* OpenShift gives each namespace users of its own, and refuses others. */}}
{{- define "store.podSecurityContext" -}}
{{- $adapt := .root.Values.global.compatibility.openshift.adaptSecurityContext }}
{{- if or (eq $adapt "force") (and (eq $adapt "auto") (.root.Capabilities.APIVersions.Has "security.openshift.io/v1")) }}
{{- omit .values.podSecurityContext "runAsUser" "runAsGroup" "fsGroup" | toYaml }}
{{- else }}
{{- toYaml .values.podSecurityContext }}
{{- end }}
{{- end }}

{{- /* Takes { name, annotations }, too. */}}
{{- define "store.serviceAccount" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  labels:
    {{- include "store.labels" . | nindent 4 }}
  {{- $given := (.values.serviceAccount | default dict).annotations | default dict }}
  {{- with merge (dict) (.annotations | default dict) $given .root.Values.global.serviceAccount.annotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}

{{- /* Authorities of your own, as a file at /var/run/authorities. Empty where there are none. Takes the scope of a chart. */}}
{{- define "store.authorities" -}}
{{- with .Values.global.authorities }}
{{- $items := list (dict "key" .key "path" "ca.crt") }}
{{- if .secret }}
{{- dict "name" "authorities" "secret" (dict "secretName" .secret "items" $items) | toYaml }}
{{- else if .configMap }}
{{- dict "name" "authorities" "configMap" (dict "name" .configMap "items" $items) | toYaml }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Annotations of what has pods, not of the pods. Takes the scope of a component's chart. */}}
{{- define "component.annotations" -}}
{{- with .Values.annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The values of a Job's pod, whose image is that of a service. Takes { root, service }. */}}
{{- define "store.jobValues" -}}
{{- merge (pick .service "podSecurityContext") .root.Values.jobs | toYaml }}
{{- end }}
