import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generate } from 'selfsigned';

export interface Certificate {
  /** Both in PEM. */
  key: string;
  cert: string;
}

/** A self-signed certificate for these names, with a key of an elliptic curve. */
export async function certificateFor(...names: string[]): Promise<Certificate> {
  const altNames = names.map((value) => ({ type: 2 as const, value }));
  const { private: key, cert } = await generate([{ name: 'commonName', value: names.join() }], {
    keyType: 'ec',
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { key, cert };
}

let mounts = 0;

/**
 * Puts a certificate into a folder below tls/ as kubelet mounts and renews a Secret: all files of a volume at once, by renaming the
 * symbolic link `..data`.
 */
export async function mountCertificate(folder: string, { key, cert }: Certificate): Promise<void> {
  mounts += 1;
  const data = `..data-${mounts}`;
  await mkdir(join(folder, data, 'tls'), { recursive: true });
  await writeFile(join(folder, data, 'tls/tls.crt'), cert);
  await writeFile(join(folder, data, 'tls/tls.key'), key);
  await symlink(data, join(folder, '..data_tmp'));
  await rename(join(folder, '..data_tmp'), join(folder, '..data'));
  await symlink('..data/tls', join(folder, 'tls')).catch(() => undefined); // there already
}
