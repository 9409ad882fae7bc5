{{- /*
The gateway's own answers, as problem+json (contract 2.7): the first whose condition (CEL) holds. A status of 0 leaves the
answer's status as it is. A fifth part are headers. json_format escapes; with a text_format a path could forge the body.
*/}}
{{- define "gateway.localReplies" -}}
{{- $cors := include "gateway.corsBeforeFilter" . | fromJson }}
{{- $title := "Too Many Requests" }}
{{- $wait := "Too many requests came from this address. Wait as long as Retry-After says." }}
{{- $headers := include "gateway.rateHeaders" . }}
{{- $limits := dict "local_rate_limited" ($headers | fromJson) }}
{{- if .Values.rateLimitService }}
{{- /* Envoy does not pass on when there are tokens again. */}}
{{- $_ := $headers | replace "%RESP(retry-after)%" (toString .Values.timeouts.retryAfter) | fromJson | set $limits "request_rate_limited" }}
{{- end }}
{{- $problems := list }}
{{- range $details, $rates := $limits }}
{{- $limited := printf "response.code_details == '%s'" $details }}
{{- $own := eq $details "local_rate_limited" | ternary dict (dict "retry-after" (toString $.Values.timeouts.retryAfter)) }}
{{- $problems = concat $problems (list
  (list (printf "%s && 'id-account' in request.headers" $limited) 429 $title "This account places too many orders. Wait as long as Retry-After says." (merge (dict) $own $rates.account))
  (list (printf "%s && %s" $limited $cors.condition) 429 $title $wait (merge (dict) $own $cors.headers $rates.address))
  (list $limited 429 $title $wait (merge (dict) $own $rates.address))
) }}
{{- end }}
{{- $problems = concat $problems (list
  (list "response.code_details == 'rbac_access_denied_matched_policy[no-token]'" 401 "Unauthorized" "The token cookie is missing or empty. Log in first.")
  (list "response.code_details == 'rbac_access_denied_matched_policy[too-large]' || response.code == 413" 413 "Payload Too Large" "The body is larger than %METADATA(ROUTE:store:largestBody)%.")
  (list "response.code_details == 'rbac_access_denied_matched_policy[two-hosts]'" 400 "Bad Request" "The request names a host more than once.")
  (list "response.code_details == 'query_missing_content_type' || response.code_details == 'rbac_access_denied_matched_policy[unknown-method]'" 405 "Method Not Allowed" "Nothing here has this method." (dict "allow" "DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"))
  (list "response.code_details == 'rbac_access_denied_matched_policy[large-cookies]'" 431 "Request Header Fields Too Large" (printf "The cookies are larger than %d KiB." (int .Values.limits.cookiesKib)))
  (list "response.code_details == 'rbac_access_denied_matched_policy[api-key]'" 403 "Forbidden" "No API key may be used for another site, whatever its scopes. Log in instead.")
  (list "response.code_details.startsWith('rbac_access_denied')" 401 "Unauthorized" "Invalid token")
  (list "response.code_details == 'ext_authz_denied' && (response.code < 400 || response.code == 401)" 401 "Unauthorized" "Invalid token")
  (list "response.code_details.startsWith('ext_authz') || response.code_details == 'lua_response' && response.code == 503" 503 "Service Unavailable" "Tokens cannot be checked at the moment. Try again shortly.")
  (list "response.code_details == 'lua_response' && response.code == 403" 403 "Forbidden" "The browser says that another site makes this request. Make it from a page of this address, or allow the origin of that site in CORS_ALLOWED_ORIGINS (gateway.cors.allowedOrigins).")
  (list "response.code_details.startsWith('overload')" 503 "Service Unavailable" "The gateway is overloaded at the moment. Try again shortly.")
  (list "response.code == 503" 503 "Service Unavailable" "The service cannot be reached at the moment. Try again shortly.")
  (list "response.code == 400" 400 "Bad Request" "The request is malformed: its path, a header or the framing of its body.")
  (list "response.code == 405" 405 "Method Not Allowed" "This path accepts GET, HEAD." (dict "allow" "GET, HEAD"))
  (list "response.code == 404" 404 "Not Found" "Nothing is found at this path.")
  (list "response.code == 431" 431 "Request Header Fields Too Large" (printf "The headers are larger than %d KiB, or more than 100." (int .Values.limits.headersKib)))
  (list "response.code == 502" 502 "Bad Gateway" "The service gave an invalid answer.")
  (list "response.code == 504" 504 "Gateway Timeout" "The service gave no answer in time.")
  (list "response.code == 408" 408 "Request Timeout" "The request arrived too slowly.")
  (list "response.code == 403" 403 "Forbidden" "Upgrades and tunnels are not supported.")
  (list "response.code == 426" 426 "Upgrade Required" "Use HTTP/1.1 or HTTP/2.")
  (list "response.code == 501" 501 "Not Implemented" "This transfer encoding is not supported.")
  (list "response.code >= 400" 0 "Error" "The gateway refused the request.")
) }}
mappers:
{{- range $problem := $problems }}
{{- $status := index $problem 1 }}
{{- $headers := dict }}
{{- if eq $status 401 }}
{{- /* A challenge is required (RFC 9110, 11.6.1). The scheme is that of draft-broyer-http-cookie-auth: Bearer would not be true. */}}
{{- $headers = dict "www-authenticate" `Cookie realm="store", cookie-name="__store_jwt_token"` }}
{{- else if eq $status 503 }}
{{- $headers = dict "retry-after" (toString $.Values.timeouts.retryAfter) }}
{{- else if gt (len $problem) 4 }}
{{- $headers = index $problem 4 }}
{{- end }}
  - filter:
      extension_filter:
        name: envoy.access_loggers.extension_filters.cel
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.access_loggers.filters.cel.v3.ExpressionFilter
          expression: {{ index $problem 0 | quote }}
    {{- if $status }}
    status_code: {{ $status }}
    {{- end }}
    {{- with $headers }}
    headers_to_add:
      {{- range $name, $value := . }}
      - {header: {key: {{ $name }}, value: {{ quote $value }}}, append_action: OVERWRITE_IF_EXISTS_OR_ADD}
      {{- end }}
    {{- end }}
    body_format_override:
      content_type: application/problem+json
      omit_empty_values: true
      json_format:
        type: about:blank
        title: {{ index $problem 2 }}
        status: "%RESPONSE_CODE%"
        detail: {{ index $problem 3 | quote }}
        instance: "%PATH(NQ:ORIG_OR_PATH)%"
{{- end }}
{{- end }}
