import { mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { generate } from 'selfsigned';

export interface Certificate {
  /** PEM. */
  key: string;
  cert: string;
}

/** A self-signed certificate for these host names that can also sign others. */
export const certificateFor = (...names: string[]) => issue(names);

/** The same, but valid only until the given time. */
export const certificateUntil = (notAfterDate: Date, ...names: string[]) => issue(names, undefined, notAfterDate);

/** A certificate for host names or IP addresses, signed by the authority. */
export const certificateFrom = (authority: Certificate, ...names: string[]) => issue(names, authority);

async function issue(names: string[], ca?: Certificate, notAfterDate?: Date): Promise<Certificate> {
  const altNames = names.map((value) => (isIP(value) ? { type: 7 as const, ip: value } : { type: 2 as const, value }));
  const { private: key, cert } = await generate([{ name: 'commonName', value: names.join() }], {
    keyType: 'ec',
    algorithm: 'sha256',
    ca,
    notAfterDate,
    extensions: [
      { name: 'basicConstraints', cA: ca === undefined },
      { name: 'subjectAltName', altNames },
    ],
  });
  return { key, cert };
}

let mounts = 0;

/**
 * Puts a certificate into a folder below tls/ the way kubelet mounts and renews a Secret: it replaces all files of a volume at once by
 * renaming the symbolic link `..data`.
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
