{{- define "service.image" -}}
{{- $image := .Values.global.image }}
{{- $tag := get $image.tags .Values.image | default $image.tag | default .Chart.AppVersion }}
{{- printf "%s/%s:%s" $image.repository .Values.image $tag }}
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
