{{- /*
Filters that compress the answers to GET at the paths of `compressed`, and nothing else (docs/security.md): an answer that is the same
for every customer has no secret that its length could reveal.
Their routes enable them: a filter that decides by the path itself costs every request.
*/}}
{{- define "gateway.compression" -}}
- name: compressor
  disabled: true
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.common.matching.v3.ExtensionWithMatcher
    extension_config:
      name: envoy.filters.http.compressor
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.filters.http.compressor.v3.Compressor
        response_direction_config:
          # Compressed bytes are another representation: a strong tag would be wrong.
          weaken_etag_on_compress: true
          # Compression gains nothing for an answer that fits in a packet.
          common_config: {min_content_length: 1024}
        compressor_library:
          name: gzip
          typed_config:
            "@type": type.googleapis.com/envoy.extensions.compression.gzip.compressor.v3.Gzip
            # At level 1 lists would be half as large again (docs/security.md).
            compression_level: COMPRESSION_LEVEL_2
    xds_matcher: &withoutCookies
      matcher_list:
        matchers:
          - predicate:
              single_predicate:
                input:
                  name: set-cookie
                  typed_config:
                    "@type": type.googleapis.com/envoy.type.matcher.v3.HttpResponseHeaderMatchInput
                    header_name: set-cookie
                value_match: {safe_regex: {google_re2: {}, regex: ".*"}}
            on_match:
              {{- include "gateway.skipsFilter" . | nindent 14 }}
# Also for a 304 (RFC 9110, 15.4.5), where the compressor adds nothing.
- name: vary-compressed
  disabled: true
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.common.matching.v3.ExtensionWithMatcher
    extension_config:
      name: envoy.filters.http.header_mutation
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.filters.http.header_mutation.v3.HeaderMutation
        mutations:
          response_mutations:
            - append: {header: {key: vary, value: Accept-Encoding}, append_action: APPEND_IF_EXISTS_OR_ADD}
    xds_matcher: *withoutCookies
{{- end }}
