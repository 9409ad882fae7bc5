import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { named, renderObjects } from '../../tools/chart/render.ts';
import { root } from '../../tools/paths.ts';

it('the values for mail in docs/kubernetes.md give each service what it needs', async () => {
  const document = await readFile(join(root, 'docs/kubernetes.md'), 'utf8');
  const values = parse(/\n## Mail\n.*?```yaml\n(.*?)```/s.exec(document)?.[1] ?? '');
  const all = await renderObjects(values);
  const envOf = (name: string) => named(all, 'Deployment', name).spec.template.spec.containers[0].env;
  expect(envOf('notification')).toEqual(
    expect.arrayContaining([
      { name: 'SMTP_URL', valueFrom: { secretKeyRef: { name: 'store-smtp', key: 'url' } } },
      { name: 'SHOP_URL', value: 'https://store.example.com/shop' },
      { name: 'ACCOUNT_URL', value: 'http://account:8080' },
    ]),
  );
  for (const name of ['account', 'order']) {
    expect(envOf(name)).toContainEqual({ name: 'EMAIL_CONFIRMATION', value: 'required' });
  }
  const { egress } = named(all, 'NetworkPolicy', 'notification').spec;
  expect(egress).toContainEqual({ ports: [{ port: 465 }] });
});
