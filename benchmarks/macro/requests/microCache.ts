import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '#benchmarks/support/freePort.ts'
import { findProgram } from '#test/support/findProgram.ts'

/** nginx in front of a service, which keeps each answer for a second and compresses what it sends: what operators do without this. */
export interface MicroCache {
  readonly url: string
  stop(): Promise<void>
}

/** @returns `null` when nginx is not installed */
export async function startMicroCache(upstream: string): Promise<MicroCache | null> {
  const nginx = findProgram({ names: ['nginx'], aptPackage: 'nginx-light' })
  if (nginx === null) return null
  const folder = await mkdtemp(path.join(tmpdir(), 'tokenwire-nginx-'))
  // nginx's workers run as another user.
  await chmod(folder, 0o777)
  const port = await freePort()
  await writeFile(path.join(folder, 'nginx.conf'), configuration(folder, port, new URL(upstream).host))
  const child = spawn(nginx, ['-c', path.join(folder, 'nginx.conf'), '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  for (let tries = 0; tries < 100; tries++) {
    if (await fetch(`${url}/healthz`).then(Boolean, () => false)) break
    await pause(50)
  }
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM')
      if (child.exitCode === null) await once(child, 'exit')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

function configuration(folder: string, port: number, upstream: string): string {
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder}/${name};`).join(' ')
  return `daemon off; pid ${folder}/pid; worker_processes 1;
events { worker_connections 1024; }
http {
  access_log off; keepalive_requests 1000000; ${temporary}
  gzip on; gzip_types application/json; gzip_min_length 1000; gzip_comp_level 3;
  proxy_cache_path ${folder}/cache keys_zone=answers:10m max_size=64m use_temp_path=off;
  upstream service { server ${upstream}; keepalive 32; keepalive_requests 1000000; }
  server {
    listen 127.0.0.1:${port};
    location / {
      proxy_pass http://service; proxy_http_version 1.1; proxy_set_header Connection ""; proxy_set_header Accept-Encoding "";
      proxy_cache answers; proxy_cache_valid 200 1s; proxy_cache_lock on; proxy_ignore_headers Cache-Control Vary;
    }
  }
}
`
}
