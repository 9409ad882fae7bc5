import { hash } from 'node:crypto';

/** HTML that is safe to send: `html` escapes everything else. */
class Html {
  readonly source: string;
  constructor(source: string) {
    this.source = source;
  }
}

export type { Html };

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? '');

/** Joins literal HTML and values. Values are escaped unless this function made them. */
export function html(literals: TemplateStringsArray, ...values: (string | number | Html | Html[])[]): Html {
  const written = values.map((value) =>
    [value].flat().map((one) => (one instanceof Html ? one.source : escaped(String(one)))),
  );
  return new Html(literals.map((literal, index) => literal + (written[index]?.join('') ?? '')).join(''));
}

/** Makes a page that loads nothing, runs no script and cannot be framed. `style` must contain no value from a request or a row. */
export function htmlPage(title: string, style: string, body: Html, language = 'en') {
  const { source } = html`<title>${title}</title>`;
  return {
    page: `<!doctype html><html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">${source}<style>${style}</style></head><body>${body.source}</body></html>`,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
    },
  };
}
