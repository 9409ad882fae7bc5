{{- define "store.labels" -}}
{{ include "store.podLabels" . }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end }}

{{- /* Labels that no release changes, for objects whose labels an operator copies to pods: it would replace all these pods. */}}
{{- define "store.lastingLabels" -}}
{{- $roles := dict "gateway" "gateway" "kafka" "broker" "postgres" "database" "postgres-backup" "job" "postgres-restore" "job" "store" "store" "store-dashboard" "store" "store-jobs" "job" "store-secrets" "job" "store-topics" "job" "store-test" "test" "toolbox" "toolbox" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/part-of: store
app.kubernetes.io/component: {{ get $roles .name | default "service" }}
{{- end }}

{{- /* Labels without the chart's version, because a new version alone is no reason to replace a pod. */}}
{{- define "store.podLabels" -}}
{{ include "store.lastingLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- with .root.Values.global.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- /* A JSON list of the databases of the services. */}}
{{- define "store.databases" -}}
{{- $databases := list }}
{{- range .Values }}
{{- if kindIs "map" . }}
{{- $databases = append $databases (get . "database") }}
{{- end }}
{{- end }}
{{- without $databases "" | uniq | sortAlpha | toJson }}
{{- end }}

{{- /* The maximum of replicas of all services with a database, with one more of each service during an upgrade. */}}
{{- define "store.databaseReplicas" -}}
{{- $replicas := 0 }}
{{- range $name, $service := .Values }}
{{- if and (kindIs "map" $service) (dig "database" "" $service) (hasKey $.Subcharts $name) }}
{{- with (index $.Subcharts $name).Values }}
{{- $replicas = add $replicas 1 (ternary .autoscaling.maxReplicas .replicas .autoscaling.enabled) }}
{{- end }}
{{- end }}
{{- end }}
{{- $replicas }}
{{- end }}

{{- /* A JSON list of the Deployments with an autoscaler. */}}
{{- define "store.autoscaled" -}}
{{- $names := list }}
{{- range $name, $chart := .Subcharts }}
{{- if dig "autoscaling" "enabled" false ($chart.Values | merge (dict)) }}
{{- $names = append $names $name }}
{{- end }}
{{- end }}
{{- $names | sortAlpha | toJson }}
{{- end }}

{{- /* Fails if PostgreSQL has fewer connections than services may take. Ten are left for an operator, metrics and people.
Takes { root, value, settings, orElse }. */}}
{{- define "store.checkConnections" -}}
{{- $needed := include "store.databaseReplicas" .root | mul 17 | add 10 }}
{{- $allowed := .settings.max_connections | default 100 }}
{{- if gt $needed (int $allowed) }}
{{- fail (printf "%s.settings.max_connections is %v, but all replicas of the services, with one more of each during an upgrade, need %d: 17 per replica, and 10 for others. Raise it, with the memory of PostgreSQL (%s.resources), lower replicas or autoscaling.maxReplicas%s." .value $allowed $needed .value .orElse) }}
{{- end }}
{{- end }}

{{- /* A JSON object of the Secrets that the store creates itself, each with its keys. */}}
{{- define "store.generatedSecrets" -}}
{{- $secrets := dict }}
{{- if not .Values.global.jwt.existingSecret }}
{{- $_ := set $secrets "store-jwt" (list "JWT_SECRET_KEY") }}
{{- end }}
{{- if and .Values.console.enabled (eq .Values.console.secrets.CONSOLE_TOKEN.secret "store-console") }}
{{- $_ := set $secrets "store-console" (list "CONSOLE_TOKEN") }}
{{- end }}
{{- if eq .Values.webhook.secrets.WEBHOOK_KEYS.secret "store-webhooks" }}
{{- $_ := set $secrets "store-webhooks" (list "WEBHOOK_KEYS") }}
{{- end }}
{{- if .Values.postgres.enabled }}
{{- $databases := include "store.databases" . | fromJsonArray | concat .Values.postgres.databases | uniq | sortAlpha }}
{{- $_ := set $secrets "postgres" (prepend $databases "postgres") }}
{{- $_ := set $secrets "postgres-logins" $databases }}
{{- /* Version 0.1.0 had this Secret in its manifest, and its pods need it until they are replaced. */}}
{{- $_ := set $secrets "databases" list }}
{{- end }}
{{- if .Values.database.cloudnativePg.enabled }}
{{- $databases := include "store.databases" . | fromJsonArray }}
{{- range $databases }}
{{- $_ := set $secrets (printf "database-%s" .) (list "username" "password") }}
{{- $_ := set $secrets (printf "database-%s.b" .) (list "username" "password") }}
{{- end }}
{{- $_ := set $secrets "store-databases" $databases }}
{{- end }}
{{- $secrets | toJson }}
{{- end }}

{{- /* Fails if a Secret lacks a key. Without a cluster it checks nothing. */}}
{{- define "store.checkSecret" -}}
{{- $secret := lookup "v1" "Secret" .root.Release.Namespace .secret }}
{{- range .keys }}
{{- if and $secret (not (get ($secret.data | default dict) .)) }}
{{- fail (printf "%s: the Secret %s has no %s, or an empty one. Add it: kubectl -n %s edit secret %s" $.value $.secret . $.root.Release.Namespace $.secret) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Fails if the volume size of a StatefulSet changes, which Kubernetes does not allow, and says what to do instead. */}}
{{- define "store.checkVolume" -}}
{{- $namespace := .root.Release.Namespace }}
{{- with (lookup "apps/v1" "StatefulSet" $namespace .name).spec }}
{{- $had := (index .volumeClaimTemplates 0).spec.resources.requests.storage }}
{{- if ne (include "store.kibibytes" $had) (include "store.kibibytes" $.size) }}
{{- $patch := dict "spec" (dict "resources" (dict "requests" (dict "storage" $.size))) | toJson }}
{{- fail (printf "%s.storage.size is %s, but the volume was created with %s. A volume can only grow, and only if its class allows that. Run these commands, which stop nothing, then repeat the upgrade:\nkubectl -n %s patch pvc data-%s-0 -p '%s'\nkubectl -n %s delete statefulset %s --cascade=orphan" $.name $.size $had $namespace $.name $patch $namespace $.name) }}
{{- end }}
{{- end }}
{{- end }}

{{- /* Kubernetes may write 1024Mi as 1Gi. */}}
{{- define "store.kibibytes" -}}
{{- $units := dict "Ki" 1 "Mi" 1024 "Gi" 1048576 "Ti" 1073741824 }}
{{- mulf (regexFind "^[0-9.]+" .) (get $units (regexFind "[A-Za-z]+$" .)) | int64 }}
{{- end }}
