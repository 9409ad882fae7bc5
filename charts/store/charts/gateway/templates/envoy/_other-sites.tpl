{{- define "gateway.otherSites" -}}
# A script for every request would cost a tenth of the gateway's time, so it runs only for requests that change something.
- name: other-sites
  typed_config:
    "@type": type.googleapis.com/envoy.extensions.common.matching.v3.ExtensionWithMatcher
    extension_config:
      name: other-sites
      typed_config:
        "@type": type.googleapis.com/envoy.extensions.filters.http.lua.v3.Lua
        default_source_code:
          inline_string: |
            {{- .Files.Get "files/other-sites.lua" | nindent 12 }}
    xds_matcher:
      matcher_list:
        matchers:
          - predicate:
              and_matcher:
                predicate:
                  - single_predicate:
                      {{- include "gateway.headerMatches" (list ":method" "GET|HEAD|OPTIONS") | nindent 22 }}
                  - not_matcher:
                      single_predicate:
                        {{- include "gateway.headerMatches" (list ":path" "/auth/logout([?].*)?") | nindent 24 }}
            on_match:
              {{- include "gateway.skipsFilter" . | nindent 14 }}
{{- end }}
