import { hash } from 'node:crypto';
import { html, htmlPage } from './html.ts';

it('html escapes values, but not HTML that it has made itself', () => {
  const rows = ['<b>', `"'&`].map((value) => html`<td>${value}</td>`);
  const { page } = htmlPage('</title><script>', 'td { color: red }', html`<tr title="${`"><i>`}">${rows}${7}</tr>`);
  expect(page).toContain('<title>&lt;/title&gt;&lt;script&gt;</title>');
  expect(page).toContain('<tr title="&quot;&gt;&lt;i&gt;"><td>&lt;b&gt;</td><td>&quot;&#39;&amp;</td>7</tr>');
});

it('the policy of a page allows only its own style', () => {
  const { headers } = htmlPage('A', 'td { color: red }', html``);
  expect(headers['Content-Security-Policy']).toBe(
    `default-src 'none'; style-src 'sha256-${hash('sha256', 'td { color: red }', 'base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
  );
});
