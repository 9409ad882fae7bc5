import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { nextAnnotation } from '../../../tools/cluster/jwt-keys.ts';
import { secretNameOf } from '../../../tools/cluster/rotation/key-readers.ts';
import { cluster, helm, runTool, say, until, withInstalledValues } from '../kit/cluster.ts';

const { core, apps, namespace, release } = cluster;

async function doctor(env: Record<string, string> = {}) {
  const { all, exitCode } = await runTool('cluster/commands/doctor.ts', [], env);
  return { said: all, exitCode };
}

it('make doctor finds nothing wrong with the installed release', async () => {
  const { said, exitCode } = await doctor();
  say(said);
  expect(said).not.toContain('WRONG');
  expect(said).toContain('Nothing is wrong.');
  expect(exitCode).toBe(0);
});

it('make doctor names a missing release and an unusable KUBECONFIG', async () => {
  expect(await doctor({ RELEASE: 'absent' })).toEqual({
    said: `There is no release absent in namespace ${namespace}: make deploy`,
    exitCode: 1,
  });
  expect(await doctor({ KUBECONFIG: '/absent' })).toEqual({
    said: expect.stringMatching(/^KUBECONFIG \(\/absent\) cannot be used: ENOENT.*$/),
    exitCode: 1,
  });
});

it('make doctor reports each problem with its remedy', async () => {
  const secretName = secretNameOf(await apps.readNamespacedDeployment({ name: 'auth', namespace })) ?? '';
  const note = (value: string | null) =>
    core.patchNamespacedSecret(
      { name: secretName, namespace, body: { metadata: { annotations: { [nextAnnotation]: value } } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
  await withInstalledValues(async (file) => {
    say('a missing image, an invalid value, a service scaled to 0, an interrupted rotation');
    // The chart accepts SameSite=None without Secure, but auth does not.
    const cookie = ['auth.env.COOKIE_SAME_SITE=None', 'auth.env.COOKIE_SECURE=false'];
    const broken = ['global.image.tags.status=absent', ...cookie, 'invoice.replicas=0'];
    await helm('upgrade', release, 'charts/store', '--values', file, ...broken.flatMap((one) => ['--set', one]));
    await note('0123456789abcdef');
    const wanted = [
      /^WRONG {2}pod status-\S+ has no image \S+\/status:absent$/m,
      /^WRONG {2}pod auth-\S+, container auth keeps exiting: .*COOKIE_SAME_SITE: /m,
      /^WRONG {2}invoice: scaled to 0 replicas$/m,
      /^WRONG {2}Secret \S+: the rotation to key 0123456789abcdef is not finished$/m,
    ];
    let found = { said: '', exitCode: 0 as number | undefined };
    try {
      await until('make doctor reports everything', async () => {
        found = await doctor();
        return wanted.every((line) => line.test(found.said));
      }).catch(() => undefined);
    } finally {
      await note(null);
    }
    say(found.said);
    for (const line of wanted) expect(found.said).toMatch(line);
    expect(found.said).toMatch(/^\d+ things are wrong\.$/m);
    expect(found.exitCode).toBe(1);
  });
});
