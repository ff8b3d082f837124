import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { waitFor } from '@vtb/deploy/local/waitFor.ts';
import { freePort } from '../../service/freePort.ts';

/** An nginx that takes PUTs into a folder. */
export interface NginxServer extends AsyncDisposable {
  readonly url: string;
}

/** Starts Debian's nginx with its DAV module below `folder`; null where there is none (apt-get install nginx-light). */
export async function startNginx(folder: string): Promise<NginxServer | null> {
  const port = await freePort();
  await mkdir(join(folder, 'files'), { recursive: true });
  // Its workers may run as another account.
  await chmod(join(folder, 'files'), 0o777);
  const at = (name: string) => join(folder, name);
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (name) => `${name}_temp_path ${at(name)};`,
  );
  const config = `daemon off; pid ${at('pid')}; error_log ${at('error.log')};${process.getuid?.() === 0 ? ' user root;' : ''}
events {}
http { access_log off; client_max_body_size 0; ${temporary.join(' ')}
  server { listen 127.0.0.1:${port}; location / { root ${at('files')}; dav_methods PUT; } } }
`;
  await writeFile(at('nginx.conf'), config);
  const server = spawn('nginx', ['-c', at('nginx.conf'), '-p', folder], { stdio: 'ignore' });
  const isThere = await Promise.race([
    once(server, 'spawn').then(() => true),
    once(server, 'error').then(() => false),
  ]);
  if (!isThere) return null;
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    fetch(url).then(
      () => true,
      () => false,
    );
  const signal = AbortSignal.timeout(20_000);
  await waitFor('nginx', answers, { timeoutMs: 15_000, everyMs: 50, signal });
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
    },
  };
}
