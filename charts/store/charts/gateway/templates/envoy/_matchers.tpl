{{- /* Parts of an ExtensionWithMatcher, which decides for which requests a filter is there. */}}

{{- /* A predicate. The arguments are a header and a regular expression of the whole of it. */}}
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
