import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { execa } from 'execa';
import { freePort } from '../../free-port.ts';
import { type SupervisedProcess, startProcess } from '../../local/components/supervised-process.ts';
import { benchDir, type Log, logDir } from '../measurement.ts';

const dir = join(benchDir, 'nginx');

/** One process that checks every request by auth_request, passes the identity on and keeps its connections, as the gateway does. */
const configOf = (port: number, auth: number, service: number) => `
daemon off;
master_process off;
pid ${dir}/nginx.pid;
events { worker_connections 1024; }
http {
  access_log ${dir}/access.log;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((of) => `${of}_temp_path ${dir}/${of};`).join(' ')}
  upstream auth { server 127.0.0.1:${auth}; keepalive 64; }
  upstream service { server 127.0.0.1:${service}; keepalive 64; }
  keepalive_requests 1000000;
  proxy_http_version 1.1;
  server {
    listen 127.0.0.1:${port};
    location / {
      auth_request /check;
      auth_request_set $account $upstream_http_id_account;
      auth_request_set $authorization $upstream_http_authorization;
      proxy_set_header connection "";
      proxy_set_header id-account $account;
      proxy_set_header authorization $authorization;
      proxy_pass http://service;
    }
    location = /check {
      internal;
      proxy_pass_request_body off;
      proxy_set_header connection "";
      proxy_set_header content-length "";
      proxy_pass http://auth;
    }
    location = /ready { return 200; }
  }
}`;

/** Starts nginx in front of the same auth and service. @returns undefined where it is not installed */
export async function startNginx(
  ports: { auth: number; service: number },
  log: Log,
): Promise<{ component: SupervisedProcess; port: number } | undefined> {
  const { failed } = await execa('nginx', ['-v'], { reject: false });
  if (failed) {
    log('nginx is not installed, so it is not compared');
    return undefined;
  }
  const port = await freePort();
  await mkdir(dir, { recursive: true });
  await writeFile(join(dir, 'nginx.conf'), configOf(port, ports.auth, ports.service));
  const component = await startProcess({
    name: 'nginx',
    command: 'nginx',
    args: ['-c', join(dir, 'nginx.conf'), '-e', 'stderr'],
    logDir,
    log,
    ready: async () => (await fetch(`http://127.0.0.1:${port}/ready`)).ok,
  });
  return { component, port };
}
