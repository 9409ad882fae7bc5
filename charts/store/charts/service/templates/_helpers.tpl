{{- define "service.image" -}}
{{- $image := .Values.global.image }}
{{- $tag := get $image.tags .Values.image | default $image.tag | default .Chart.AppVersion }}
{{- $digest := get ($image.digests | default dict) .Values.image }}
{{- if and $digest (ne $tag .Chart.AppVersion) }}
{{- fail (printf "global.image has the tag %s for %s, but its digest is %s, which a container would run whatever its tag says. Remove one: global.image.digests.%s=\"\"" $tag .Values.image $digest .Values.image) }}
{{- end }}
{{- include "component.reference" (dict "scope" . "image" (printf "%s/%s:%s" $image.repository .Values.image $tag)) }}
{{- end }}

{{- /* The text of a variable: Helm alone would write 31536000 as 3.1536e+07. */}}
{{- define "service.text" -}}
{{- if or (kindIs "string" .) (kindIs "bool" .) }}{{ . }}{{ else }}{{ int64 . }}{{ end }}
{{- end }}

{{- define "service.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef: { name: {{ .secret }}, key: {{ .key }}{{ if .optional }}, optional: true{{ end }} }
{{- end }}
