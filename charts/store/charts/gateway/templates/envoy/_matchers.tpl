{{- /* Parts of an ExtensionWithMatcher, which decides which requests a filter applies to. */}}

{{- /* A predicate. The arguments are a header and a regular expression for its whole value. */}}
{{- define "gateway.headerMatches" -}}
input:
  name: header
  typed_config: {"@type": type.googleapis.com/envoy.type.matcher.v3.HttpRequestHeaderMatchInput, header_name: {{ quote (index . 0) }}}
value_match: {safe_regex: {google_re2: {}, regex: {{ quote (index . 1) }}}}
{{- end }}

{{- define "gateway.skipsFilter" -}}
action:
  name: skip
  typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.common.matcher.action.v3.SkipFilter}
{{- end }}
