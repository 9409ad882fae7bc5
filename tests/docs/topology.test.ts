import { topology } from '../../tools/topology/topology.ts';
import { documentAt } from './_documents.ts';

it('the local run names the ports of all services', () => {
  const { text } = documentAt('docs/local-run.md');
  for (const { name, localPort } of topology.services) expect(text).toContain(`${name} ${localPort}`);
});
