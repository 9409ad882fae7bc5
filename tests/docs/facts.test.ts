import { topology } from '../../tools/topology/topology.ts';
import { alertsOf, ruleGroups } from '../kit/observability/alerts.ts';
import { read } from '../kit/read.ts';
import { documentAt, documents } from './_documents.ts';

// Lists in documents must match the sources.

describe('the documents', () => {
  it('the page on the local run names the ports of all services', () => {
    const { text } = documentAt('docs/local-run.md');
    for (const { name, localPort } of topology.services) expect(text).toContain(`${name} ${localPort}`);
  });
});

describe('the runbooks', () => {
  const pages = documents.filter(({ path }) => path.startsWith('docs/runbooks/'));
  const sections = pages.flatMap(({ path, text }) =>
    text
      .split(/^## (?=Store)/m)
      .slice(1)
      .map((section) => {
        const [name = ''] = section.split('\n', 1);
        return { name, url: `${path}#${name.toLowerCase()}`, section };
      }),
  );

  it('every alert links to its runbook, and every runbook has an alert', async () => {
    const linked = alertsOf(await ruleGroups()).map(({ annotations }) => annotations.runbook_url);
    expect(linked.length).toBeGreaterThan(20);
    expect(sections.map(({ url }) => url).sort()).toEqual([...new Set(linked)].sort());
  });

  it.each(sections)('$name explains the meaning, the effect and the fix', ({ section }) => {
    expect(section).toMatch(/^.*\n\n.+\*\*Impact:\*\*\s.*\n\*\*Fix\.\*\*/s);
  });
});

describe('personal data', () => {
  /** Columns, in any table, with no personal data beyond an id. Payloads are only impersonal while events are. */
  const impersonal = new Set([
    ...'kind lane key payload traceparent status currency consumer_group error outcome reason cancel_reason'.split(' '),
    ...'kid requested_by items missing request_hash location body purpose roles locale'.split(' '),
    ...'provider intent_id cursor state'.split(' '), // of payments
    ...'actor before after'.split(' '), // of the audit trail: ids, and names that operators choose
    ...'unit description images category sku category1 category2 taxes'.split(' '),
    ...'booked account result'.split(' '), // of the books
    ...'source state lines failure provider_ref idempotency_key'.split(' '), // of refunds and disputes
    ...'url kinds key_id sealed'.split(' '), // of webhooks: systems of the operator
  ]);
  /** Names of products, products that are being imported, and which of their lines failed. */
  const exceptions = new Set([
    ...['product.products.name', 'order.order_items.name', 'product.product_import_parts.lines'],
    ...['product.product_imports.state', 'product.product_imports.errors'],
  ]);

  /** Columns that can hold a text or any bytes, as `database.table.column`. */
  function columnsOf(database: string): string[] {
    const schema = read(`services/${database}/prisma/schema.prisma`);
    return [...schema.matchAll(/^model \w+ \{(.*?)^\}/gms)].flatMap(([, model = '']) => {
      const table = /@@map\("(\w+)"\)/.exec(model)?.[1];
      const fields = [...model.matchAll(/^\s+(\w+)\s+(?:String|Json|Bytes)\S*(.*)$/gm)];
      const texts = fields.filter(([, , rest = '']) => !rest.includes('@db.Uuid'));
      return texts.map(([, name, rest = '']) => `${database}.${table}.${/@map\("(\w+)"\)/.exec(rest)?.[1] ?? name}`);
    });
  }

  it('every column that can hold text is in `impersonal`, or docs/security.md says when it is deleted', () => {
    const all = topology.databases.flatMap(columnsOf);
    expect(all.length).toBeGreaterThan(50);
    const personal = all.filter((one) => !impersonal.has(one.split('.')[2] ?? '') && !exceptions.has(one));
    const [, section = ''] = documentAt('docs/security.md').text.split('\n## Personal data\n');
    const rows =
      section
        .split('\n## ', 1)[0]
        ?.split('\n')
        .filter((line) => line.startsWith('| `')) ?? [];
    const documented = rows.join().matchAll(/`(\w+\.\w+\.\w+)`/g);
    expect([...documented].map(([, one]) => one).sort()).toEqual(personal.sort());
  });
});
