import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';

/** A certificate authority of its own, made by OpenSSL. @param dir gets ca.crt */
export async function createAuthority(dir: string) {
  const openssl = (...args: string[]) => execa('openssl', args, { cwd: dir });
  await openssl(
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2'],
    ...['-subj', '/CN=Test authority', '-keyout', 'ca.key', '-out', 'ca.crt'],
  );
  return {
    file: join(dir, 'ca.crt'),
    /** @param names as OpenSSL takes them: `DNS:localhost,IP:::1` */
    async issue(names: string): Promise<{ key: string; certificate: string }> {
      await openssl(
        ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=server'],
        ...['-keyout', 'server.key', '-out', 'server.csr'],
      );
      await writeFile(join(dir, 'names'), `subjectAltName=${names}`);
      const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-days', '2', '-extfile', 'names'];
      await openssl('x509', '-req', '-in', 'server.csr', ...signed, '-out', 'server.crt');
      const [key, certificate] = await Promise.all(
        ['server.key', 'server.crt'].map((name) => readFile(join(dir, name), 'utf8')),
      );
      return { key: key ?? '', certificate: certificate ?? '' };
    },
  };
}
