{{- /*
The open list (contract 2.2) as routes, a JSON list of { match, prefix, cluster }: an exact path to the service whose prefix covers
it; a prefix to every route below it, and to the route that covers it. All are longest first, as gateway.routes is.
*/}}
{{- define "gateway.openRoutes" -}}
{{- $open := list }}
{{- $entries := .Values.open }}
{{- if dig "shop" "enabled" false .Values.global }}
{{- $entries = concat $entries (list "GET /shop/**" "HEAD /shop/**") }}
{{- end }}
{{- if .Values.publicCatalogue }}
{{- $entries = concat $entries (list "GET /products/**" "HEAD /products/**") | uniq }}
{{- end }}
{{- range $entry := $entries }}
{{- include "gateway.checkOpenEntry" (dict "entry" $entry "open" $entries) }}
{{- $method := splitList " " $entry | first }}
{{- $path := splitList " " $entry | last }}
{{- $isPrefix := hasSuffix "/**" $path }}
{{- $base := trimSuffix "/**" $path }}
{{- $headers := list }}
{{- if ne $method "ANY" }}
{{- $headers = list (dict "name" ":method" "string_match" (dict "exact" $method)) }}
{{- end }}
{{- $isCovered := false }}
{{- $services := 0 }}
{{- range $route := include "gateway.routes" $ | fromJsonArray }}
{{- $isBelow := hasPrefix (printf "%s/" $base) $route.prefix }}
{{- if and (not $isCovered) (or (and $isPrefix $isBelow) (hasPrefix (printf "%s/" $route.prefix) (printf "%s/" $base))) }}
{{- $isCovered = not $isBelow }}
{{- $match := dict "path" $base }}
{{- if $isPrefix }}
{{- $match = include "gateway.prefixMatch" (ternary $route.prefix $base $isBelow) | fromJson }}
{{- end }}
{{- $open = append $open (dict "match" (merge $match (dict "headers" $headers)) "prefix" $route.prefix "cluster" $route.cluster) }}
{{- if ne $route.cluster "self" }}
{{- $services = add1 $services }}
{{- end }}
{{- end }}
{{- end }}
{{- if not $services }}
{{- fail (printf "gateway.open: %q is refused: no route leads there. Expected is a path under a prefix of global.routes, or under /external." $entry) }}
{{- end }}
{{- end }}
{{- toJson $open }}
{{- end }}

{{- /* A path prefix as Envoy matches it: /x is matched by /x, /x/y and /x?y, and not by /xy. */}}
{{- define "gateway.prefixMatch" -}}
{{- if contains "{" . }}{{ dict "safe_regex" (dict "regex" (printf "%s(/.*)?" (regexReplaceAll "[{][a-z]+[}]" . "[^/]+"))) | toJson }}{{ else if . }}{{ dict "path_separated_prefix" . | toJson }}{{ else }}{{ dict "prefix" "/" | toJson }}{{ end }}
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
{{- $problem = printf "%q is none of the methods %s and ANY, which are written in capitals" (first $words) (join ", " $methods) }}
{{- else if not (hasPrefix "/" $path) }}
{{- $problem = "the path has to start with /" }}
{{- else if has $path (list "/" "/health-check") }}
{{- $problem = "the gateway answers / and /health-check itself, and never asks for a token there" }}
{{- else if regexMatch "[?#]" $path }}
{{- $problem = "a path has no query: the entry opens it with any query" }}
{{- else if contains "*" $base }}
{{- $problem = "* is only possible at the end of a prefix, as /**" }}
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
