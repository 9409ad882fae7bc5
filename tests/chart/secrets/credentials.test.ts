import { renderObjects } from '../../../tools/chart/render.ts';
import { renderEdited } from '../_edited-chart.ts';

describe('global.internal.existingSecret', () => {
  const values = { global: { internal: { existingSecret: 'callers' } } };

  it('demands each credential: a pod whose key is missing does not start', async () => {
    const refs = JSON.stringify(await renderObjects(values)).match(/\{"name":"callers","key":"[^}]*\}/g) ?? [];
    expect(refs.length).toBeGreaterThan(5);
    expect(refs.filter((ref) => ref.includes('optional'))).toEqual([]);
  });

  it.each(['auth', 'order', 'notification', 'operator'])('is refused without the key %s', async (missing) => {
    const found = (text: string) =>
      text.replaceAll(
        /lookup "v1" "Secret" \S+ \S+/g,
        `(dict "data" (omit (dict "auth" "eA==" "order" "eA==" "operator" "eA==" "notification" "eA==" "inventory" "eA==") "${missing}"))`,
      );
    await expect(renderEdited({ 'templates/_helpers.tpl': found }, values)).rejects.toThrow(
      `global.internal.existingSecret: the Secret callers has no ${missing}, or an empty one.`,
    );
  });
});
