{{- /* Templates that all pods of the release share. Each takes { root, values }: the scope of a chart, and the values of the pod. */}}

{{- /* Labels and annotations of a pod. Also takes { name, labels, annotations }, which take precedence over all values. */}}
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

{{- /* Also takes { serviceAccount, token }: its name, and true for a pod that calls the API server. */}}
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

{{- /* OpenShift assigns each namespace its own user ids, and refuses others. */}}
{{- define "store.podSecurityContext" -}}
{{- $adapt := .root.Values.global.compatibility.openshift.adaptSecurityContext }}
{{- if or (eq $adapt "force") (and (eq $adapt "auto") (.root.Capabilities.APIVersions.Has "security.openshift.io/v1")) }}
{{- omit .values.podSecurityContext "runAsUser" "runAsGroup" "fsGroup" | toYaml }}
{{- else }}
{{- toYaml .values.podSecurityContext }}
{{- end }}
{{- end }}

{{- /* Also takes { name, annotations }. */}}
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

{{- /* A volume with your own authorities, for /var/run/authorities. Empty without any. Takes the scope of a chart. */}}
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

{{- /* Annotations of the Deployment or StatefulSet, not of its pods. Takes the scope of a component's chart. */}}
{{- define "component.annotations" -}}
{{- with .Values.annotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end }}

{{- /* The values of a Job's pod, which runs the image of a service. Takes { root, service }. */}}
{{- define "store.jobValues" -}}
{{- merge (pick .service "podSecurityContext") .root.Values.jobs | toYaml }}
{{- end }}
