import type { Edit, NewService } from './edits.ts';

/** As text, because a YAML library would reformat the comments and anchors of the rest. */
export function chartEdits({ name, route, localPort }: NewService): Edit[] {
  const variables = `    "${name}": {
      "properties": {
        "env": {
          "allOf": [{ "$ref": "#/definitions/env" }],
          "propertyNames": {
            "anyOf": [{ "$ref": "#/definitions/ofSdk" }, { "enum": ["BEARER_VALIDATION", "BEARER_JWKS_URL"] }]
          }
        }
      }
    }`;
  const block = `${name}:\n  image: ${name}\n  localPort: ${localPort}\n  database: ${name}\n`;
  return [
    [
      'charts/store/Chart.yaml',
      /(?<=^ {2}- \{ name: service, version: (.+), alias: \w+(?:, condition: \w+\.enabled)? \}\n)$(?![\s\S])/m,
      (_, version) => `  - { name: service, version: ${version}, alias: ${name} }\n`,
    ],
    ['charts/store/values.yaml', /^ {2}routes:\n(?: {4}\/.*\n)+/m, (routes) => `${routes}    ${route}: ${name}\n`],
    ['charts/store/values.yaml', /\n*$(?![\s\S])/, () => `\n\n${block}`],
    ['charts/store/values.schema.json', /\n {2}\},\n {2}"additionalProperties": /, (end) => `,\n${variables}${end}`],
    ['k8s/values-prod.yaml', /^(?:\w+: .*\*checksTokens.*\n)+/m, (scaled) => `${scaled}${name}: *checksTokens\n`],
  ];
}
