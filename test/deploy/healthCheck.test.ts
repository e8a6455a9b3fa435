import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { Server } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { certificate, certificateKey } from '#test/support/certificate.ts'
import { closeAfterFile } from '#test/support/closeAfterFile.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

/* deploy/healthCheck.mjs, which the image runs. It went through the environment's proxy, and asked 127.0.0.1 whatever HOST was. */

const SCRIPT = path.resolve('deploy/healthCheck.mjs')
const folder = await makeTemporaryFolder()
const alive: RequestListener = ({ url }, response) => void response.writeHead(url === '/healthz' ? 200 : 404).end()

test.for([
  ['127.0.0.1', '0.0.0.0'],
  ['127.0.0.1', ''],
  ['127.0.0.2', '127.0.0.2'],
  ['::1', '::'],
  ['::1', '::1'],
  ['127.0.0.1', 'localhost'],
] as const)('finds a service that listens on %s by HOST=%s, without the proxy of the environment', async ([address, HOST]) => {
  let proxied = 0
  const proxy = await listen(
    createServer((_, response) => void response.writeHead(++proxied && 502).end()),
    '127.0.0.1',
  )
  const PORT = await listen(createServer(alive), address)
  const proxies = Object.fromEntries(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY'].map(name => [name, `http://127.0.0.1:${proxy}`]))
  expect(await isHealthy({ HOST, PORT, NODE_USE_ENV_PROXY: '1', ...proxies })).toBe(true)
  expect(proxied).toBe(0)
})

test('finds one with a certificate of another name, and one whose settings are in a file', async () => {
  const PORT = await listen(createTlsServer({ cert: certificate, key: certificateKey }, alive), '127.0.0.1')
  expect(await isHealthy({ PORT, TLS_CERT_FILE: 'cert.pem' })).toBe(true)
  expect(await isHealthy({ PORT })).toBe(false)
  await writeFile(path.join(folder.path, '.env'), `PORT=${PORT}\nTLS_CERT_FILE=cert.pem\n`)
  expect(await isHealthy({ HOST: '' })).toBe(true)
})

test('finds none that answers something else', async () => {
  const PORT = await listen(
    createServer((_, response) => void response.writeHead(503).end()),
    '127.0.0.1',
  )
  expect(await isHealthy({ PORT })).toBe(false)
})

async function listen(server: Server, host = '127.0.0.1'): Promise<string> {
  closeAfterFile(async () => server.close())
  await new Promise<void>(resolve => server.listen(0, host, resolve))
  return String((server.address() as { readonly port: number }).port)
}

function isHealthy(env: Readonly<Record<string, string>>): Promise<boolean> {
  return promisify(execFile)(process.execPath, [SCRIPT], { env, cwd: folder.path }).then(
    () => true,
    () => false,
  )
}
