{{- /*
Everything that is computed from the gateway's values, in YAML; the other templates only write it down. Each includes it once:
{{ $model := include "gateway.model" . | fromYaml }}. Its numbers are then floats: int turns them back into integers.
*/}}
{{- define "gateway.model" -}}
{{- $values := .Values }}
{{- $external := ternary (dict "/external" "external") dict (ne .Values.external.url "") }}
{{- $shop := ternary (dict "/shop" "shop") dict (dig "shop" "enabled" false .Values.global) }}
{{- $services := merge (dict) $shop .Values.global.routes }}
{{- $names := without (append (values $services) "auth") "" | uniq | sortAlpha }}
{{- $self := dict "prefix" "" "cluster" "self" "match" (dict "prefix" "/") "kind" "secured" }}

{{- /* In reverse alphabetical order a longer prefix comes before the prefixes that cover it. The empty prefix at the end covers
everything. */}}
{{- $routes := list }}
{{- range $prefix, $cluster := merge (dict) $external $services }}
  {{- /* /x matches /x, /x/y and /x?y, but not /xy. */}}
  {{- $match := dict "path_separated_prefix" $prefix }}
  {{- if contains "{" $prefix }}
    {{- $match = dict "safe_regex" (dict "regex" (printf "%s(/.*)?" (regexReplaceAll "[{][a-z]+[}]" $prefix "[^/]+"))) }}
  {{- end }}
  {{- with $cluster }}
    {{- $routes = prepend $routes (dict "prefix" $prefix "cluster" . "match" $match "kind" "secured") }}
  {{- end }}
{{- end }}
{{- $routes = append $routes $self }}

{{- /* The open list (contract 2.2). An exact path leads to the service whose prefix covers it; a prefix leads to every route below it,
and to the route that covers it. */}}
{{- $isGet := dict "name" ":method" "string_match" (dict "exact" "GET") }}
{{- $isGetOrHead := dict "name" ":method" "string_match" (dict "safe_regex" (dict "regex" "GET|HEAD")) }}
{{- $entries := .Values.open }}
{{- if $shop }}
  {{- $entries = concat $entries (list "GET /shop/**" "HEAD /shop/**") }}
{{- end }}
{{- if .Values.publicCatalogue }}
  {{- $entries = concat $entries (list "GET /products/**" "HEAD /products/**") | uniq }}
{{- end }}
{{- $open := list }}
{{- range $entry := $entries }}
  {{- include "gateway.checkOpenEntry" (dict "entry" $entry "open" $entries) }}
  {{- $method := splitList " " $entry | first }}
  {{- $path := splitList " " $entry | last }}
  {{- $isPrefix := hasSuffix "/**" $path }}
  {{- $base := trimSuffix "/**" $path }}
  {{- $headers := ternary list (list (dict "name" ":method" "string_match" (dict "exact" $method))) (eq $method "ANY") }}
  {{- $own := dict "path" $base }}
  {{- if $isPrefix }}
    {{- $own = ternary (dict "path_separated_prefix" $base) $self.match (ne $base "") }}
  {{- end }}
  {{- $isCovered := false }}
  {{- $isRouted := false }}
  {{- range $routes }}
    {{- $isBelow := hasPrefix (printf "%s/" $base) .prefix }}
    {{- if and (not $isCovered) (or (and $isPrefix $isBelow) (hasPrefix (printf "%s/" .prefix) (printf "%s/" $base))) }}
      {{- $isCovered = not $isBelow }}
      {{- $isRouted = or $isRouted (ne .cluster "self") }}
      {{- $match := merge (dict "headers" $headers) (ternary .match $own (and $isPrefix $isBelow)) }}
      {{- $open = append $open (dict "prefix" .prefix "cluster" .cluster "match" $match "kind" "open") }}
    {{- end }}
  {{- end }}
  {{- if not $isRouted }}
    {{- fail (printf "gateway.open: %q is refused: no route leads there. Expected is a path under a prefix of global.routes, or under /external." $entry) }}
  {{- end }}
{{- end }}
{{- $always := dict "safe_regex" (dict "regex" "/(health-check)?") "headers" (list $isGetOrHead) }}
{{- $open = append $open (dict "prefix" "" "cluster" "self" "match" $always "kind" "open") }}

{{- /* The paths whose GET is answered with a stream, each with the longest prefix that covers it. */}}
{{- $streams := list }}
{{- range $path := .Values.streams }}
  {{- $covering := dict }}
  {{- range $routes }}
    {{- if and (not $covering) (hasPrefix (printf "%s/" .prefix) $path) (has .cluster $names) }}
      {{- $covering = . }}
    {{- end }}
  {{- end }}
  {{- if not $covering }}
    {{- fail (printf "gateway.streams: %q is refused: no route leads there. Expected is a path under a prefix of global.routes." $path) }}
  {{- end }}
  {{- $match := dict "path" $path "headers" (list $isGet) }}
  {{- $streams = append $streams (dict "prefix" $covering.prefix "service" $covering.cluster "cluster" (printf "%s-streams" $covering.cluster) "match" $match "kind" "stream") }}
{{- end }}

{{- /* Paths whose POST is not buffered, and paths that need a token whatever the open list says, each with the longest prefix that covers it. */}}
{{- $isPost := dict "name" ":method" "string_match" (dict "exact" "POST") }}
{{- $closed := list }}
{{- range $kind, $paths := dict "upload" (keys .Values.uploads | sortAlpha) "secured" .Values.closed }}
  {{- range $path := $paths }}
    {{- $covering := dict }}
    {{- range $routes }}
      {{- if and (not $covering) (hasPrefix (printf "%s/" .prefix) (printf "%s/" $path)) (has .cluster $names) }}
        {{- $covering = . }}
      {{- end }}
    {{- end }}
    {{- if not $covering }}
      {{- fail (printf "gateway.%s: %q is refused: no route leads there. Expected is a path under a prefix of global.routes." (ternary "uploads" "closed" (eq $kind "upload")) $path) }}
    {{- end }}
    {{- $route := dict "prefix" $covering.prefix "cluster" $covering.cluster "kind" $kind }}
    {{- if eq $kind "upload" }}
      {{- $route = merge $route (dict "match" (dict "path" $path "headers" (list $isPost)) "bodyKib" (get $values.uploads $path)) }}
    {{- else }}
      {{- $route = merge $route (dict "match" (dict "path_separated_prefix" $path)) }}
    {{- end }}
    {{- $closed = append $closed $route }}
  {{- end }}
{{- end }}
{{- /* An upload is also below a closed path. */}}
{{- $closed = reverse $closed }}

{{- /* A cluster of replicas for each service, and a second one for its streams. */}}
{{- $upstreams := dict }}
{{- range $names }}
  {{- $_ := set $upstreams . (get $values.upstreams . | default (dict "host" (printf "%s-pods" .) "port" 8080)) }}
{{- end }}
{{- $clusters := merge (dict) $upstreams }}
{{- range $streams }}
  {{- $_ := set $clusters .cluster (get $upstreams .service) }}
{{- end }}

{{- range $path := .Values.compressed }}
  {{- $isRouted := false }}
  {{- range $prefix := keys $values.global.routes }}
    {{- $isRouted = or $isRouted (hasPrefix (printf "%s/" $prefix) (printf "%s/" $path)) }}
  {{- end }}
  {{- if not $isRouted }}
    {{- fail (printf "gateway.compressed: %q is refused: no route leads there. Expected is a path under a prefix of global.routes." $path) }}
  {{- end }}
{{- end }}

{{- /* GET of a compressed path has a route of its own, before the one that it would take. */}}
{{- $listed := dict }}
{{- range $kind, $candidates := dict "open" $open "secured" $routes }}
  {{- $all := list }}
  {{- $done := list }}
  {{- range $route := $candidates }}
    {{- range $path := $values.compressed }}
      {{- $match := $route.match }}
      {{- $takesGet := or (not $match.headers) (has $isGet $match.headers) (has $isGetOrHead $match.headers) }}
      {{- $takesPath := or (hasKey $match "prefix") (eq $path (get $match "path")) }}
      {{- with $match.path_separated_prefix }}
        {{- $takesPath = hasPrefix (printf "%s/" .) (printf "%s/" $path) }}
      {{- end }}
      {{- with $match.safe_regex }}
        {{- $takesPath = regexMatch (printf "^(?:%s)$" .regex) $path }}
      {{- end }}
      {{- if and $takesGet $takesPath (not (has $path $done)) }}
        {{- $done = append $done $path }}
        {{- $own := dict "path" $path "headers" (list $isGet) }}
        {{- $all = append $all (dict "prefix" $route.prefix "cluster" $route.cluster "match" $own "kind" $kind "compressed" true) }}
      {{- end }}
    {{- end }}
    {{- $all = append $all $route }}
  {{- end }}
  {{- $_ := set $listed $kind $all }}
{{- end }}

{{- range $prefix := keys .Values.bodyKib }}
  {{- if not (or (hasKey $values.global.routes $prefix) (eq $prefix "/external")) }}
    {{- fail (printf "gateway.bodyKib: %q is not a prefix of global.routes, nor /external." $prefix) }}
  {{- end }}
{{- end }}

{{- /* By default one proxy if the chart puts it in front, and nobody outside the cluster can bypass it. */}}
{{- $isBehind := and (or .Values.ingress.enabled .Values.httpRoute.enabled) (eq .Values.service.type "ClusterIP") }}
{{- $hops := kindIs "invalid" .Values.trustedHops | ternary (ternary 1 0 $isBehind) .Values.trustedHops | int }}

{{- /* The pod's memory limit in bytes, from a quantity of Kubernetes such as 512Mi, 0.5Gi or 536870912. */}}
{{- $memory := dig "limits" "memory" "" .Values.resources }}
{{- if not $memory }}
  {{- fail "gateway.resources.limits.memory is missing: the gateway limits its memory by it. Set it, for example to 512Mi." }}
{{- end }}
{{- $memory = kindIs "string" $memory | ternary $memory (int64 $memory | toString) }}
{{- $units := dict "" 1 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 }}
{{- $unit := regexFind "[A-Za-z]*$" $memory }}
{{- if not (hasKey $units $unit) }}
  {{- fail (printf "gateway.resources.limits.memory: %q is refused. Expected is an amount such as 512Mi." $memory) }}
{{- end }}

{{- if and .Values.cors.allowedCredentials (has "*" .Values.cors.allowedOrigins) }}
  {{- fail "gateway.cors.allowedOrigins contains \"*\" while cors.allowedCredentials is true: every website could act on behalf of a logged-in customer. Name the origins, or set cors.allowedCredentials to false." }}
{{- end }}

{{- $origins := list }}
{{- range .Values.cors.allowedOrigins }}
  {{- $origins = append $origins (squote .) }}
{{- end }}

{{- $address := .Values.address | default (ternary "::" "0.0.0.0" (eq (include "store.hasIpv6" .) "true")) -}}
# The part of every socket_address before its port.
listens: 'address: {{ quote $address }}{{ if eq $address "::" }}, ipv4_compat: true{{ end }}'
# Whether a client can have an IPv6 address: on an IPv6 socket, or if a proxy in front passes its address on.
seesIpv6: {{ or (contains ":" $address) (gt $hops 0) .Values.proxyProtocol }}
# Whether there is a port for plain HTTP. With TLS it only redirects.
servesHttp: {{ or (not .Values.tls.existingSecret) .Values.tls.redirectHttp }}
trustedHops: {{ $hops }}
{{- if $hops }}
{{- $address := `"?(?:([0-9.]+):[0-9]+|\[([0-9A-Fa-f:.]+)[^\],]*\](?::[0-9]+)?)"?` }}
{{- $regex := printf `^(.*,)?[ \t]*%s[ \t]*((?:,[^,]*){%d})$` $address (sub $hops 1) }}
{{- $header := `request.headers["x-forwarded-for"]` }}
{{- $isWithPort := printf `(%[1]s.contains("]") || %[1]s.contains(".") && %[1]s.contains(":"))` $header }}
# In CEL: X-Forwarded-For with a bare address from the last trusted proxy. The regular expression runs only if the header seems to have
# a port or brackets.
addressWithoutPort: {{ printf `%%CEL(%s ? re.extract(%s, r'%s', r'\1\2\3\4') : "")%%` $isWithPort $header $regex | quote }}
{{- end }}
memoryBytes: {{ mulf (trimSuffix $unit $memory | float64) (get $units $unit) | int64 }}

# Services that the gateway calls: those behind a prefix, and auth, which checks the tokens. Each with its host and port.
upstreams: {{ toJson $upstreams }}
# The same, with a second cluster for each service that streams.
clusters: {{ toJson $clusters }}
# Each { prefix, cluster, match, kind, compressed, bodyKib }, in the order in which Envoy tries them.
routes:
  streams: {{ toJson $streams }}
  closed: {{ toJson $closed }}
  open: {{ toJson $listed.open }}
  secured: {{ toJson $listed.secured }}
# In KiB
largestBodies: {{ append (concat (values .Values.bodyKib) (values .Values.uploads)) .Values.limits.bodyKib | sortAlpha | uniq | toJson }}

cors:
  # Headers of an answer that scripts of an allowed origin may read.
  exposes: deprecation, etag, idempotency-replayed, link, location, ratelimit, ratelimit-policy, retry-after, sunset, x-request-id
  # In CEL, for an answer before the CORS filter: whether the origin is allowed. start.sh relies on this syntax.
  isAllowed: "'origin' in request.headers && (request.headers['origin'] in [{{ join ", " $origins }}] || '{{ ternary "any" "listed" (has "*" .Values.cors.allowedOrigins) }}' == 'any')"

# The limits by kind of caller, under the names that the actions of the filters use.
rates:
  address:
    {{- range $name := list "requests" "credentials" "catalogue" }}
    {{- if or (ne $name "catalogue") $values.publicCatalogue }}
    {{- with get $values.limits $name }}
    - {name: {{ $name }}, unit: second, seconds: 1, count: {{ int .perSecond }}, burst: {{ int .burst }}}
    {{- end }}
    {{- end }}
    {{- end }}
    {{- with .Values.limits.registrations.perHour }}
    - {name: registrations, unit: hour, seconds: 3600, count: {{ int . }}, burst: {{ int . }}}
    {{- end }}
  account:
    {{- with .Values.limits.orders.perMinute }}
    - {name: orders, unit: minute, seconds: 60, count: {{ int . }}, burst: {{ int . }}}
    {{- end }}
{{- end }}

{{- define "gateway.checkOpenEntry" -}}
{{- $methods := list "GET" "HEAD" "POST" "PUT" "PATCH" "DELETE" "OPTIONS" "TRACE" }}
{{- $words := splitList " " .entry }}
{{- $path := last $words }}
{{- $base := trimSuffix "/**" $path }}
{{- $problem := "" }}
{{- if ne (len $words) 2 }}
{{- $problem = "exactly one space is expected, between method and path" }}
{{- else if not (has (first $words) (append $methods "ANY")) }}
{{- $problem = printf "%q is not one of the methods %s and ANY, in capitals" (first $words) (join ", " $methods) }}
{{- else if not (hasPrefix "/" $path) }}
{{- $problem = "the path must start with /" }}
{{- else if has $path (list "/" "/health-check") }}
{{- $problem = "the gateway answers / and /health-check itself, and never asks for a token there" }}
{{- else if regexMatch "[?#]" $path }}
{{- $problem = "a path has no query: the entry opens it with any query" }}
{{- else if contains "*" $base }}
{{- $problem = "* is only allowed at the end of a prefix, as /**" }}
{{- else if hasSuffix "/" $base }}
{{- $problem = "the path must not end in /" }}
{{- else if regexMatch "/([.]{0,2})(/|$)" $base }}
{{- $problem = "empty segments, . and .. never match: the gateway resolves them before it routes" }}
{{- else if not (regexMatch "^[A-Za-z0-9/._~!$&'()+,;=:@-]*$" $base) }}
{{- $problem = "a path consists of letters, digits and -._~!$&'()+,;=:@ and is not percent-encoded" }}
{{- else if gt (without .open .entry | len | sub (len .open)) 1 }}
{{- $problem = "it is listed twice" }}
{{- end }}
{{- with $problem }}
{{- fail (printf "gateway.open: %q is refused: %s. Expected is a method or ANY, a space, and a path or a prefix with /**, such as POST /auth/login or ANY /docs/**." $.entry .) }}
{{- end }}
{{- end }}
