import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { execa } from 'execa';
import { freePort } from '../../tools/free-port.ts';
import { until } from '../kit/until.ts';

const sha256 = (data: string | Buffer) => `sha256:${createHash('sha256').update(data).digest('hex')}`;

/** Starts an empty registry that keeps its data in the folder. */
export async function startRegistry(dir: string) {
  const address = `localhost:${await freePort()}`;
  const config = join(dir, 'config.yml');
  const storage = { filesystem: { rootdirectory: join(dir, 'data') } };
  await writeFile(config, JSON.stringify({ version: 0.1, storage, http: { addr: address } }));
  const process = execa('docker-registry', ['serve', config], { reject: false, stdio: 'ignore' });
  await until('the registry answers', async () => (await fetch(`http://${address}/v2/`)).ok, { timeoutMs: 10_000 });

  const accept = ['application/vnd.oci.image.index.v1+json', 'application/vnd.oci.image.manifest.v1+json'].join();
  return {
    address,
    /** The digest of a tag or digest, or undefined. */
    async digestOf(name: string, reference: string): Promise<string | undefined> {
      const response = await fetch(`http://${address}/v2/${name}/manifests/${reference}`, { headers: { accept } });
      return response.ok ? sha256(await response.text()) : undefined;
    },
    async stop() {
      process.kill();
      await process;
    },
  };
}

/** Writes an image for two platforms, for skopeo to copy as oci:<folder>. The content makes it unique. @returns its digest */
export async function writeImage(folder: string, content: string): Promise<string> {
  await mkdir(join(folder, 'blobs/sha256'), { recursive: true });
  const write = async (mediaType: string, data: string | Buffer) => {
    const digest = sha256(data);
    await writeFile(join(folder, 'blobs', digest.replace(':', '/')), data);
    return { mediaType, digest, size: Buffer.byteLength(data) };
  };
  const json = (kind: string, value: object) => write(`application/vnd.oci.image.${kind}+json`, JSON.stringify(value));
  const manifests = [];
  for (const architecture of ['amd64', 'arm64']) {
    const tar = Buffer.alloc(1024);
    const layer = await write('application/vnd.oci.image.layer.v1.tar+gzip', gzipSync(tar));
    const rootfs = { type: 'layers', diff_ids: [sha256(tar)] };
    const config = await json('config.v1', { architecture, os: 'linux', rootfs, config: { Labels: { content } } });
    const manifest = await json('manifest.v1', { schemaVersion: 2, config, layers: [layer] });
    manifests.push({ ...manifest, platform: { architecture, os: 'linux' } });
  }
  const index = { schemaVersion: 2, mediaType: 'application/vnd.oci.image.index.v1+json', manifests };
  const { digest, ...rest } = await json('index.v1', index);
  await writeFile(join(folder, 'oci-layout'), '{"imageLayoutVersion":"1.0.0"}');
  await writeFile(join(folder, 'index.json'), JSON.stringify({ schemaVersion: 2, manifests: [{ digest, ...rest }] }));
  return digest;
}
