import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { template } from '../../tools/chart/helm.ts';
import { imagesFile } from '../../tools/chart/render.ts';
import { chartSchemas } from '../../tools/chart/schema.ts';
import { withEdited } from './_edited-chart.ts';

/** Renders a chart with this text added to the gateway's values.yaml and with regenerated schemas. */
const rendering = (added: string, gateway: object) =>
  withEdited({ 'charts/gateway/values.yaml': (text) => `${text}\n${added}` }, async (chart) => {
    for (const [path, text] of Object.entries(await chartSchemas(chart))) await writeFile(join(chart, path), text);
    return template(chart, [imagesFile], { gateway });
  });

describe('the schema of a value', () => {
  const added = `# -- A value that is new
# @schema required: all
fresh:
  # @schema minimum: 2
  count: 3
  # @schema port
  at: 80
  text: a`;

  it.each([
    [{ count: 1 }, /fresh\/count.*minimum/],
    [{ count: 2.5 }, /fresh\/count.*integer/],
    [{ at: 70000 }, /fresh\/at.*maximum/],
    [{ text: 5 }, /fresh\/text.*string/],
    [{ txet: 'b' }, /txet/],
    [{ text: null }, /text/],
  ])('follows from its default and its comment, so that %j is refused', async (fresh, message) => {
    await expect(rendering(added, { fresh })).rejects.toThrow(message);
  });

  it('accepts valid values', async () => {
    expect(await rendering(added, { fresh: { count: 2, at: 443, text: 'b' } })).toContain('kind: Deployment');
  });

  it('refuses an undefined word', async () => {
    await expect(rendering('# @schema prot\nfresh: 1', {})).rejects.toThrow('definitions.yaml has no prot.');
  });
});
