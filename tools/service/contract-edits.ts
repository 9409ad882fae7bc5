import type { Edit, NewService } from './edits.ts';

const path = 'docs/contract.md';

/** The rows and the section of a new service, which tests compare with the code. */
export function contractEdits({ name, route, localPort }: NewService): Edit[] {
  const variable = name.toUpperCase();
  const fields = `| Field | Type | In | Out | Rule |
|---|---|---|---|---|
| \`id\` | UUID | - | yes | assigned |
| \`text\` | string | yes | yes | 1 to 200 characters |
| \`createdAt\` | timestamp | - | yes | |

| Request | Success | Failures |
|---|---|---|
| \`GET ${route}\` | 200, an array ([5](#5-collections)) | 400, 401 |
| \`GET ${route}/{id}\` | 200 | 401, 404 |
| \`POST ${route}\` | 201, \`Location: ${route}/{id}\` | 400, 401 |
`;
  const nextSection = (text: string) =>
    Math.max(...[...text.matchAll(/^### 4\.(\d+) /gm)].map(([, n]) => Number(n))) + 1;
  const title = route.slice(1, 2).toUpperCase() + route.slice(2);
  return [
    [path, /(?<=^\| console \| .+\n)(?=\n)/m, () => `| ${name} | ${title} | database \`${name}\` | - |\n`],
    [
      path,
      /^(?=\| PostgreSQL \| )/m,
      () => `| ${name} | ${localPort} | ${localPort + 1000} | \`${variable}_PORT\`, \`${variable}_METRICS_PORT\` |\n`,
    ],
    [path, /^(?=\| `\/external`, )/m, () => `| \`${route}\`, \`${route}/**\` | ${name} |\n`],
    [
      path,
      /(?<=^\| Collection \| (?:.+\n)+)(?=\n)/m,
      () => `| \`${route}\` | array | 20, at most 100 | \`createdAt\` | \`createdAt,desc\` |\n`,
    ],
    [path, /^(?=## 5 Collections$)/m, (_, text) => `### 4.${nextSection(text)} ${title}\n\n${fields}\n`],
  ];
}
