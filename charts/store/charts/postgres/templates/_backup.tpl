{{- /* A pod that dumps or restores. Takes { scope, action }, where the action is backup or restore. With S3 a second container copies
the dumps between the bucket and a folder of the pod. */}}
{{- define "postgres.backupPod" -}}
{{- $values := .scope.Values }}
{{- $client := list "bash" .action $values.image }}
{{- $mover := list "sh" (ternary "upload" "download" (eq .action "backup")) $values.backup.s3.image }}
{{- $steps := list $client }}
{{- if $values.backup.s3.bucket }}
{{- $steps = ternary (list $client $mover) (list $mover $client) (eq .action "backup") }}
{{- end -}}
{{- include "component.pod" .scope }}
restartPolicy: Never
{{- with initial $steps }}
initContainers:
  {{- include "postgres.backupStep" (dict "scope" $.scope "step" (first .)) | nindent 2 }}
{{- end }}
containers:
  {{- include "postgres.backupStep" (dict "scope" .scope "step" (last $steps)) | nindent 2 }}
volumes:
  - name: backups
    {{- if $values.backup.s3.bucket }}
    emptyDir: {}
    {{- else }}
    persistentVolumeClaim: { claimName: {{ $values.backup.volume.existingClaim | default "postgres-backup" }} }
    {{- end }}
  - name: script
    configMap: { name: postgres-backup }
  - name: tmp
    emptyDir: {}
{{- end }}

{{- define "postgres.firstBackup" -}}
# Waits for a PostgreSQL that is installed at the same time.
backoffLimit: 6
template:
  metadata:
    {{- include "store.podMetadata" (dict "root" $ "name" "postgres-backup" "values" .Values "labels" (dict "calls/postgres" "true")) | nindent 4 }}
  spec:
    {{- include "postgres.backupPod" (dict "scope" $ "action" "backup") | nindent 4 }}
{{- end }}

{{- define "postgres.backupStep" -}}
{{- $scope := .scope }}
{{- $s3 := $scope.Values.backup.s3 }}
{{- $shell := index .step 0 }}
{{- $script := index .step 1 -}}
- name: {{ $script }}
  image: {{ include "component.reference" (dict "scope" $scope "image" (index .step 2)) }}
  imagePullPolicy: {{ $scope.Values.pullPolicy }}
  command: [{{ $shell }}, /script/{{ $script }}.sh]
  env:
    - { name: BACKUPS, value: /backups }
    - { name: KEEP, value: {{ $scope.Values.backup.keep | quote }} }
    # make restore sets these.
    - { name: FROM, value: "" }
    - { name: REPLACE, value: "no" }
    - { name: CHECK, value: "no" }
    {{- if eq $shell "bash" }}
    - { name: PGHOST, value: postgres }
    - { name: PGUSER, value: postgres }
    - name: PGPASSWORD
      valueFrom: { secretKeyRef: { name: postgres, key: postgres } }
    {{- else }}
    - { name: HOME, value: /tmp }
    - { name: RCLONE_CONFIG, value: "" }
    - { name: TARGET, value: {{ printf "s3:%s/%s" $s3.bucket $s3.prefix | trimSuffix "/" | quote }} }
    - { name: RCLONE_CONFIG_S3_TYPE, value: s3 }
    - { name: RCLONE_CONFIG_S3_PROVIDER, value: Other }
    - { name: RCLONE_CONFIG_S3_ENDPOINT, value: {{ $s3.endpoint | quote }} }
    - { name: RCLONE_CONFIG_S3_REGION, value: {{ $s3.region | quote }} }
    - { name: RCLONE_CONFIG_S3_NO_CHECK_BUCKET, value: "true" }
    - name: RCLONE_CONFIG_S3_ACCESS_KEY_ID
      valueFrom: { secretKeyRef: { name: {{ $s3.existingSecret }}, key: access-key-id } }
    - name: RCLONE_CONFIG_S3_SECRET_ACCESS_KEY
      valueFrom: { secretKeyRef: { name: {{ $s3.existingSecret }}, key: secret-access-key } }
    {{- end }}
  terminationMessagePolicy: FallbackToLogsOnError
  resources:
    {{- toYaml $scope.Values.backup.resources | nindent 4 }}
  securityContext:
    {{- toYaml $scope.Values.securityContext | nindent 4 }}
  volumeMounts:
    - { name: backups, mountPath: /backups }
    - { name: script, mountPath: /script, readOnly: true }
    - { name: tmp, mountPath: /tmp }
{{- end }}
