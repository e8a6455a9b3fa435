import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import path from 'node:path'
import { closeAfterFile } from '#test/support/closeAfterFile.ts'
import { eventually } from '#test/support/eventually.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

export const NGINX = findProgram({ names: ['nginx'], aptPackage: 'nginx-light' })

/**
 * Starts nginx for the rest of the test file, and waits until its servers listen.
 *
 * @param servers what stands inside of each `server`, besides `listen`, by a name for it
 * @param http what stands beside the servers
 * @returns a request to one of the servers
 */
export async function startNginx(servers: Readonly<Record<string, string>>, http = '') {
  const folder = await makeTemporaryFolder()
  const names = Object.keys(servers)
  const socketOf = (server: string) => path.join(folder.path, `${names.indexOf(server)}.sock`)
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(name => `${name}_temp_path ${folder.path}/${name};`)
  const blocks = Object.entries(servers).map(([name, inside]) => `server { listen unix:${socketOf(name)}; ${inside} }`)
  const file = path.join(folder.path, 'nginx.conf')
  await writeFile(
    file,
    `daemon off; master_process off; pid ${folder.path}/pid; error_log stderr;
events {}
http { access_log off; ${temporary.join(' ')}
${http}
${blocks.join('\n')}
}`,
  )
  let said = ''
  const nginx = spawn(NGINX ?? '', ['-p', folder.path, '-c', file, '-e', 'stderr'], { stdio: ['ignore', 'ignore', 'pipe'] })
  nginx.stderr.on('data', chunk => (said += String(chunk)))
  closeAfterFile(async () => {
    nginx.kill('SIGTERM')
    if (nginx.exitCode === null) await once(nginx, 'exit')
  })
  const ask = (server: string, route: string, headers: Readonly<Record<string, string>> = {}) =>
    request({ socketPath: socketOf(server), path: route, headers: { host: '127.0.0.1', ...headers }, agent: false }).end()
  const listens = async () => {
    for (const name of names) {
      const [response] = await once(ask(name, '/healthz'), 'response').catch(({ message }: Error) => [
        { statusCode: `${message}\n${said}` },
      ])
      if (response.statusCode !== 200) throw new Error(String(response.statusCode))
      response.resume()
    }
  }
  await eventually(listens)
  return ask
}
