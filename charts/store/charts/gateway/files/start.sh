# Starts Envoy with the origins that the environment allows (contract 2.4), as the specification names them: CORS_ALLOWED_ORIGINS,
# comma-separated, and CORS_ALLOWED_CREDENTIALS, true or false. The Deployment has both from the values.
# usage: start.sh <rendered configuration> <folder of the configuration with the origins> envoy [argument...]
set -eu
refuse() {
  echo "$1" >&2
  exit 1
}
rendered=$1 folder=$2
shift 2

credentials=${CORS_ALLOWED_CREDENTIALS:-true}
case $credentials in
  true | false) ;;
  *) refuse "CORS_ALLOWED_CREDENTIALS is \"$credentials\". Expected is true or false." ;;
esac

# The origins in the syntax of Envoy, of other-sites.lua and of CEL. No character of an origin is special there, or in sed.
matchers="" names="" texts="" kind=listed
IFS=, read -r -a origins <<<"${CORS_ALLOWED_ORIGINS:-}" || true
for origin in ${origins[@]+"${origins[@]}"}; do
  read -r origin <<<"$origin" || true
  if [[ -z $origin ]]; then continue; fi
  if [[ $origin == '*' ]]; then
    if [[ $credentials == true ]]; then
      refuse "CORS_ALLOWED_ORIGINS contains \"*\" while CORS_ALLOWED_CREDENTIALS is true: every website could act on behalf of a logged-in customer. Name the origins, or set CORS_ALLOWED_CREDENTIALS to false."
    fi
    kind=any
  elif ! [[ $origin =~ ^https?://([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]+)?$ ]]; then
    refuse "CORS_ALLOWED_ORIGINS: \"$origin\" is not an origin as browsers send it: scheme, host in lower case and optional port, such as https://shop.example.com."
  fi
  matchers+="${matchers:+, }{exact: \"$origin\"}"
  names+="${names:+, }\"$origin\""
  texts+="${texts:+, }'$origin'"
done

mkdir -p "$folder"
# Adds your own authorities (global.authorities) to those of the configuration.
authorities=$(sed -n 's|.*trusted_ca: {filename: "\([^"]*\)"}.*|\1|p' "$rendered" | head -n 1)
if [[ -n $authorities && -n ${EXTRA_CA_CERTS:-} ]]; then
  # The first file may end without a line break.
  { cat "$authorities" && echo && cat "$EXTRA_CA_CERTS"; } >"$folder/authorities.crt"
  authorities=$folder/authorities.crt
fi
# Each of these is on a single line of the configuration (files/envoy.yaml, files/problems.yaml, templates/_model.tpl).
sed -e "s|trusted_ca: {filename: .*}|trusted_ca: {filename: \"$authorities\"}|" \
  -e "s|allow_origin_string_match: .*|allow_origin_string_match: [$matchers]|" \
  -e "s|allow_credentials: .*|allow_credentials: $credentials|" \
  -e "s|filter_context: {allowedOrigins: .*|filter_context: {allowedOrigins: [$names]}|" \
  -e "s@in \[.*\] || '[a-z]*' == 'any'@in [$texts] || '$kind' == 'any'@" \
  -e "s|key: access-control-allow-credentials, value: \"[a-z]*\"|key: access-control-allow-credentials, value: \"${credentials#false}\"|" \
  "$rendered" >"$folder/envoy.yaml"
exec "$@" -c "$folder/envoy.yaml"
