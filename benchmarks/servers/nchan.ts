import { existsSync } from 'node:fs'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { freePort } from '#benchmarks/support/freePort.ts'
import { dial, startChild } from './childServer.ts'
import type { FeedServer } from './feedServer.ts'
import { framesOf } from './frames.ts'

const MODULE = '/usr/lib/nginx/modules/ngx_nchan_module.so'

export function hasNchan(): boolean {
  return existsSync(MODULE)
}

/** nginx with nchan, one worker: a channel per token; all publishes use one open connection. */
export async function startNchan(): Promise<FeedServer> {
  const port = await freePort()
  const folder = await mkdtemp(path.join(tmpdir(), 'tokenwire-nchan-'))
  const config = path.join(folder, 'nginx.conf')
  await writeFile(config, nginxConfig(port, folder))
  const master = await startChild('nginx', ['-c', config, '-p', folder, '-e', path.join(folder, 'error.log')], port)
  const children = await readFile(`/proc/${master.pid}/task/${master.pid}/children`, 'utf8')
  const publisher = await dial(port)
  publisher.resume()
  return {
    port,
    pid: Number(children.trim().split(' ')[0]),
    prepare: snapshots => {
      const requests = [...framesOf(snapshots)].map(([token, bytes]) =>
        Buffer.concat([Buffer.from(`POST /publish?id=${token} HTTP/1.1\r\nHost: a\r\nContent-Length: ${bytes.length}\r\n\r\n`), bytes]),
      )
      const all = Buffer.concat(requests)
      return () => void publisher.write(all)
    },
    close: async () => {
      publisher.destroy()
      master.kill()
    },
  }
}

function nginxConfig(port: number, folder: string): string {
  return `load_module ${MODULE};
user root;
daemon off;
worker_processes 1;
worker_rlimit_nofile 20000;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log crit;
events { worker_connections 19000; }
http {
  access_log off;
  keepalive_requests 1000000;
  client_body_temp_path ${folder};
  client_body_buffer_size 64k;
  nchan_max_reserved_memory 512M;
  server {
    listen 127.0.0.1:${port} backlog=4096;
    location = /publish { nchan_publisher http; nchan_channel_id $arg_id; nchan_message_buffer_length 20; }
    location = /subscribe { nchan_subscriber websocket; nchan_channel_id $arg_id; nchan_subscriber_first_message newest; }
  }
}
`
}
