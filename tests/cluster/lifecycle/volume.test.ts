import { execa } from 'execa';
import { podsOf } from '../../../tools/cluster/pods.ts';
import { cluster, upgrade, withInstalledValues } from '../kit/cluster.ts';

const { apps, core, namespace } = cluster;

it("the commands in the refusal grow PostgreSQL's volume without stopping anything", async () => {
  const claim = () => core.readNamespacedPersistentVolumeClaim({ name: 'data-postgres-0', namespace });
  // A claim may only grow if its storage class allows it, whatever provides the volume.
  const { storageClassName } = (await claim()).spec ?? {};
  await execa('kubectl', ['patch', 'storageclass', String(storageClassName), '-p', '{"allowVolumeExpansion":true}']);
  const [before] = await podsOf(cluster, 'postgres');
  const had = (await apps.readNamespacedStatefulSet({ name: 'postgres', namespace })).spec?.volumeClaimTemplates?.[0];
  const size = `${Number.parseInt(String(had?.spec?.resources?.requests?.storage), 10) + 1}Gi`;
  await withInstalledValues(async (file) => {
    const grown = ['--values', file, '--set', `postgres.storage.size=${size}`];
    const refusal: string = await upgrade(...grown).then(
      () => '',
      ({ message }) => message,
    );
    expect(refusal).toContain(`postgres.storage.size is ${size}, but the volume was created with`);
    const commands = refusal.split('\n').filter((line) => line.startsWith('kubectl '));
    expect(commands).toHaveLength(2);
    for (const command of commands) await execa('bash', ['-c', command]);
    await upgrade(...grown);
    expect((await claim()).spec?.resources?.requests?.storage).toBe(size);
    const [after] = await podsOf(cluster, 'postgres');
    expect(after?.metadata?.uid).toBe(before?.metadata?.uid);
    // A volume cannot shrink, so the installed values have the new size from here on.
    await execa('sh', [
      '-c',
      `printf 'postgres: { storage: { size: ${size} } }\\n' | cat - "$0" >"$0.new" && mv "$0.new" "$0"`,
      file,
    ]);
  });
}, 900_000);
