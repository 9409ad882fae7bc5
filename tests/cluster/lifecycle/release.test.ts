import { join } from 'node:path';
import { execa } from 'execa';
import { thirdPartyImages } from '../../../tools/chart/third-party.ts';
import { podsOf } from '../../../tools/cluster/pods.ts';
import { waitForRollout } from '../../../tools/cluster/rollout.ts';
import { root } from '../../../tools/paths.ts';
import { builtImages } from '../../../tools/topology/images.ts';
import { topology } from '../../../tools/topology/topology.ts';
import { useFolder } from '../../kit/folder.ts';
import { createPublisher, missingTools, pathOf } from '../../release/_publisher.ts';
import { findGateway, helm, helmIn, cluster as installed, kubectl, say, until } from '../kit/cluster.ts';
import { expectNoLoss } from '../kit/load.ts';

// Two releases in REGISTRY, a registry that the nodes can pull from, such as localhost:5000 if the node is this machine. Their images
// are those of the installed release, in Docker (DOCKER). KAFKA_IMAGE replaces the chart's Kafka image if that cannot be pulled.

const { REGISTRY, DOCKER = 'docker', KAFKA_IMAGE } = process.env;
const missing = REGISTRY ? await missingTools() : ['REGISTRY'];
if (missing.length > 0) say(`skipped: releases from a registry, without ${missing.join(', ')}`);

const namespace = 'store-release';
const cluster = { ...installed, namespace, release: 'store' };
/** Each run has its own versions, because a version is never replaced. */
const versions = ['0.1.0', '0.2.0'].map((version) => `${version}-${Date.now()}`);
const [first = '', second = ''] = versions;

const dir = useFolder();
let repository: string;

const docker = (args: string[], input = '') =>
  execa(DOCKER, args, { input, env: { DOCKER_BUILDKIT: '1', BUILDX_NO_DEFAULT_ATTESTATIONS: '1' } });
const remove = () => kubectl(['delete', 'namespace', namespace, '--ignore-not-found', '--timeout=280s']);

/** @returns the digest in the registry */
async function push(name: string, from: string, version: string): Promise<string> {
  // A different label makes a different image, as a new build would.
  await docker(['build', '--quiet', '--label', `release=${version}`, '--tag', name, '-'], `FROM ${from}\n`);
  const { stdout } = await docker(['push', name]);
  return /digest: (sha256:[0-9a-f]{64})/.exec(stdout)?.[1] ?? '';
}

async function publish(): Promise<void> {
  const publisher = await createPublisher(dir, String(REGISTRY));
  repository = publisher.repository;
  for (const image of Object.values(await thirdPartyImages(join(root, 'charts/store')))) {
    const source = image.includes('kafka') && KAFKA_IMAGE ? KAFKA_IMAGE : image;
    await push(`${REGISTRY}/${pathOf(image)}`, source, 'theirs');
  }
  const { image } = JSON.parse(await helm('get', 'values', installed.release, '--all', '--output', 'json')).global;
  for (const version of versions) {
    const digests: Record<string, string> = {};
    for (const { name } of builtImages) {
      const source = `${image.repository}/${name}:${image.tags[name]}`;
      digests[name] = await push(`${repository}/${name}:build`, source, version);
    }
    say(`publishing ${version}`);
    await publisher.publish(version, digests);
  }
}

const chart = (version: string) => [`oci://${repository}/charts/store`, '--version', version, '--plain-http'];
/** Takes third-party images from REGISTRY, because the nodes have no other docker.io. There are no other values. */
const mirror = ['--set', `global.image.registry=${REGISTRY}`];
const deployments = topology.services.map(({ alias }) => alias);

/** Expects all pods to run the images of the version by digest. */
async function expectVersion(version: string): Promise<void> {
  await waitForRollout(cluster, [...deployments, 'gateway'], () => undefined);
  // A finished Job keeps the image it ran.
  const running = (await podsOf(cluster)).filter(({ status }) => status?.phase === 'Running');
  const images = running.flatMap(({ spec }) => spec?.containers.map(({ image = '' }) => image) ?? []);
  const own = images.filter((image) => image.startsWith(`${repository}/`));
  expect(own.length).toBeGreaterThanOrEqual(deployments.length);
  expect(own.filter((image) => !image.includes(`:${version}@sha256:`))).toEqual([]);
  expect(images.filter((image) => !image.startsWith(`${REGISTRY}/`) || !/@sha256:[0-9a-f]{64}$/.test(image))).toEqual(
    [],
  );
}

/** A node port to the gateway, whose own Service is not reachable from outside without values. */
async function openGateway(): Promise<void> {
  const gateway = await cluster.core.readNamespacedService({ name: 'gateway', namespace });
  const ports = [
    { name: 'http', port: 80, targetPort: gateway.spec?.ports?.find(({ name }) => name === 'http')?.targetPort },
  ];
  const body = { metadata: { name: 'outside' }, spec: { type: 'NodePort', selector: gateway.spec?.selector, ports } };
  const { spec } = await cluster.core.createNamespacedService({ namespace, body });
  const [node] = (await cluster.core.listNode()).items;
  const { address } = node?.status?.addresses?.find(({ type }) => type === 'InternalIP') ?? {};
  process.env.GATEWAY_URL = `http://${address}:${spec?.ports?.[0]?.nodePort}`;
  await until('the new port leads to the gateway', findGateway);
}

(missing.length > 0 ? describe.skip : describe)('releases from a registry', () => {
  beforeAll(async () => {
    await remove();
    await cluster.core.createNamespace({ body: { metadata: { name: namespace } } });
    await publish();
  }, 1_200_000);
  afterAll(remove, 300_000);

  it('installs the first without values', async () => {
    await helmIn(namespace, 'install', 'store', ...chart(first), ...mirror, '--wait', '--timeout', '10m');
    await helmIn(namespace, 'test', 'store', '--timeout', '5m');
    await expectVersion(first);
  });

  it('upgrades to the second and rolls back to the first without a failed request', async () => {
    await openGateway();
    await expectNoLoss(async () => {
      say(`helm upgrade to ${second}`);
      await helmIn(namespace, 'upgrade', 'store', ...chart(second), ...mirror, '--wait', '--timeout', '10m');
      await expectVersion(second);
    });
    await expectNoLoss(async () => {
      say(`helm rollback to ${first}`);
      await helmIn(namespace, 'rollback', 'store', '1', '--wait', '--timeout', '10m');
      await expectVersion(first);
    });
  });
});
