{{- define "service.image" -}}
{{- $image := .Values.global.image }}
{{- $tag := get $image.tags .Values.image | default $image.tag | default .Chart.AppVersion }}
{{- $digest := get ($image.digests | default dict) .Values.image }}
{{- if and $digest (ne $tag .Chart.AppVersion) }}
{{- fail (printf "global.image has the tag %s for %s, but its digest is %s, which containers run whatever the tag says. Remove one of them: global.image.digests.%s=\"\"" $tag .Values.image $digest .Values.image) }}
{{- end }}
{{- include "component.reference" (dict "scope" . "image" (printf "%s/%s:%s" $image.repository .Values.image $tag)) }}
{{- end }}

{{- /* A YAML map of the variables that calls sets, without those that env sets. */}}
{{- define "service.addresses" -}}
{{- range $variable, $service := .Values.calls }}
{{- if and $service (not (hasKey $.Values.env $variable)) }}
{{ $variable }}: {{ regexReplaceAll "^[^/]+" $service "http://${0}:8080" | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- /* A YAML list of the services that it calls: those of calls, and those whose addresses are in env or extraEnv. */}}
{{- define "service.calls" -}}
{{- $addresses := list (include "service.addresses" . | fromYaml) .Values.env .Values.extraEnv | toJson }}
{{- $calls := list }}
{{- range regexFindAll "http://[a-z0-9-]+:8080" $addresses -1 }}
{{- $calls = append $calls (trimPrefix "http://" . | trimSuffix ":8080") }}
{{- end }}
{{- uniq $calls | sortAlpha | toYaml }}
{{- end }}

{{- /*
The URL of the Prometheus whose alerts a service shows that reads metrics: by default the one for autoscalers, unless that needs a
login, which services do not have.
*/}}
{{- define "service.prometheus" -}}
{{- $shared := ternary .Values.global.prometheus "" (eq "" .Values.global.prometheusAuthentication.modes) }}
{{- dig "PROMETHEUS_URL" $shared .Values.env }}
{{- end }}

{{- /* Keys and credentials, as files: variables would be in crash dumps, and in the environment of child processes. */}}
{{- define "service.secretsVolume" -}}
{{- $sources := list }}
{{- range $name, $from := .Values.secrets }}
{{- with tpl (get (default dict $from) "secret") $ }}
{{- $source := dict "name" . "items" (list (dict "key" $from.key "path" $name)) }}
{{- if eq (tpl (toString $from.optional) $) "true" }}
{{- $_ := set $source "optional" true }}
{{- end }}
{{- $sources = append $sources (dict "secret" $source) }}
{{- end }}
{{- end }}
{{- with $sources -}}
- name: secrets
  projected:
    sources:
      {{- toYaml . | nindent 6 }}
{{- end }}
{{- end }}

{{- /*
The URL of an external database, or the login of the release's own, as a file: a variable would not follow its Secret, and
would be in crash dumps. Empty for a service without a database.
*/}}
{{- define "service.databaseVolume" -}}
{{- $external := .Values.global.externalDatabase }}
{{- if .Values.database -}}
- name: database
  projected:
    sources:
      {{- if $external.existingSecret }}
      - secret: { name: {{ $external.existingSecret }}, items: [{ key: {{ .Values.database }}, path: url }] }
      {{- with $external.caSecret }}
      - secret: { name: {{ . }}, items: [{ key: ca.crt, path: ca.crt }] }
      {{- end }}
      {{- else }}
      - secret: { name: postgres-logins, items: [{ key: {{ .Values.database }}, path: login }] }
      {{- end }}
{{- end }}
{{- end }}

{{- /* "true" if connections to Kafka are encrypted, else empty. */}}
{{- define "kafka.tls" -}}
{{- with .Values.global.kafka }}
{{- if ternary .login .tls (kindIs "invalid" .tls) }}true{{ end }}
{{- end }}
{{- end }}

{{- /* Its credentials for Kafka, and Kafka's authority, as files, because variables would not follow a renewal. May be empty. */}}
{{- define "service.kafkaVolume" -}}
{{- $kafka := .Values.global.kafka }}
{{- $items := list }}
{{- if $kafka.login }}
{{- $items = append $items (dict "key" "password" "path" "password") }}
{{- end }}
{{- if $kafka.clientCertificate }}
{{- $items = concat $items (list (dict "key" "tls.crt" "path" "tls.crt") (dict "key" "tls.key" "path" "tls.key")) }}
{{- end }}
{{- $sources := list }}
{{- with $items }}
{{- $name := $.Values.kafka.secret | default $kafka.secret | default (printf "kafka-%s" $.Chart.Name) }}
{{- $sources = append $sources (dict "secret" (dict "name" $name "items" .)) }}
{{- end }}
{{- if and (include "kafka.tls" .) $kafka.caSecret }}
{{- $sources = append $sources (dict "secret" (dict "name" $kafka.caSecret "items" (list (dict "key" "ca.crt" "path" "ca.crt")))) }}
{{- end }}
{{- if and .Values.kafka.writes $sources -}}
- name: kafka
  projected:
    sources:
      {{- toYaml $sources | nindent 6 }}
{{- end }}
{{- end }}

{{- /* The variables of its container. */}}
{{- define "service.env" -}}
{{- $external := .Values.global.externalDatabase.existingSecret }}
{{- $kafka := .Values.global.kafka -}}
- { name: APP_PROFILE, value: {{ .Values.global.profile }} }
{{- if include "store.hasIpv6" . }}
- { name: HOST, value: "::" }
{{- end }}
- { name: LOG_LEVEL, value: {{ .Values.global.logLevel }} }
{{- if include "store.authorities" . }}
- { name: NODE_EXTRA_CA_CERTS, value: /var/run/authorities/ca.crt }
{{- end }}
- { name: DRAIN_SECONDS, value: {{ .Values.drainSeconds | quote }} }
{{- $tracing := dict }}
{{- with .Values.global.tracing.endpoint }}
{{- $tracing = dict "OTEL_EXPORTER_OTLP_ENDPOINT" . "OTEL_SERVICE_NAME" $.Chart.Name }}
{{- end }}
{{- range $name, $value := merge (dict) .Values.env (include "service.addresses" . | fromYaml) $tracing }}
{{- /* Helm would write 31536000 as 3.1536e+07. */}}
- { name: {{ $name }}, value: {{ or (kindIs "string" $value) (kindIs "bool" $value) | ternary $value (int64 $value) | quote }} }
{{- end }}
{{- range $name, $from := .Values.secrets }}
{{- with tpl (get (default dict $from) "secret") $ }}
- { name: {{ $name }}_FILE, value: /var/run/secrets/store/{{ $name }} }
{{- end }}
{{- end }}
{{- with .Values.database }}
{{- if $external }}
{{- $verified := ternary "sslmode=verify-full&sslrootcert=/var/run/database/ca.crt" "" (ne "" $.Values.global.externalDatabase.caSecret) }}
- { name: DATABASE_URL, value: "file:///var/run/database/url{{ with $verified }}?{{ . }}{{ end }}" }
{{- $elsewhere := dict "DATABASE_POOLER_URL" $.Values.global.externalDatabase.pooler }}
{{- if $.Values.readsReplicas }}
{{- $_ := set $elsewhere "DATABASE_REPLICA_URL" $.Values.global.externalDatabase.readOnly }}
{{- end }}
{{- range $name, $address := $elsewhere }}
{{- with $address }}
{{- $at := printf "host=%s&port=%s" (splitList ":" . | first) (splitList ":" . | last) }}
- { name: {{ $name }}, value: "file:///var/run/database/url?{{ list $verified $at | compact | join "&" }}" }
{{- end }}
{{- end }}
{{- else }}
- { name: DATABASE_URL, value: "file:///var/run/database/login?at=postgres:5432/{{ . }}" }
{{- end }}
{{- end }}
{{- with .Values.extraPorts }}
- { name: EXTRA_PORTS, value: {{ join "," . | quote }} }
{{- end }}
{{- with .Values.kafka.group }}
- { name: CONSUMER_GROUP, value: {{ . }} }
{{- end }}
{{- if .Values.kafka.writes }}
{{- include "service.kafkaEnv" . | nindent 0 }}
{{- with $kafka.rackLabel }}
- { name: KAFKA_RACK, valueFrom: { fieldRef: { fieldPath: "metadata.labels['{{ . }}']" } } }
{{- end }}
{{- end }}
{{- end }}

{{- /* The variables for its connection to Kafka. */}}
{{- define "service.kafkaEnv" -}}
{{- $kafka := .Values.global.kafka -}}
- { name: KAFKA_BROKERS, value: {{ include "kafka.bootstrapServers" . | quote }} }
{{- if include "kafka.tls" . }}
- { name: KAFKA_TLS, value: "true" }
{{- if $kafka.caSecret }}
- { name: KAFKA_CA, value: "file:///var/run/kafka/ca.crt" }
{{- end }}
{{- end }}
{{- if $kafka.clientCertificate }}
- { name: KAFKA_CERTIFICATE, value: "file:///var/run/kafka/tls.crt" }
- { name: KAFKA_KEY, value: "file:///var/run/kafka/tls.key" }
{{- end }}
{{- if $kafka.login }}
- { name: KAFKA_LOGIN, value: {{ $kafka.mechanism }} }
- { name: KAFKA_USERNAME, value: {{ .Values.kafka.username | default $kafka.username | default (printf "kafka-%s" .Chart.Name) | quote }} }
- { name: KAFKA_PASSWORD, value: "file:///var/run/kafka/password" }
{{- if eq $kafka.mechanism "oauthbearer" }}
- { name: KAFKA_TOKEN_URL, value: {{ $kafka.token.url | quote }} }
{{- with $kafka.token.scope }}
- { name: KAFKA_TOKEN_SCOPE, value: {{ quote . }} }
{{- end }}
{{- end }}
{{- end }}
{{- end }}
