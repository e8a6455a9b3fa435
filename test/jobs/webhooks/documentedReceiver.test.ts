import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, symlink, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect } from 'node:net'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { webhookSignature } from '#jobs/webhooks/postWebhook.ts'
import { eventually } from '#test/support/eventually.ts'
import { freePort } from '#test/support/freePort.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

/* The receiver of docs/operation.md, as it stands, with the library that it names. */

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
const SYMBOL = '🦦ß漢é'

let output = ''
const folder = await makeTemporaryFolder()

const port = await freePort()
const manual = await readFile('docs/operation.md', 'utf8')
const [code = ''] = Array.from(manual.matchAll(/```js\n(.*?)```/gs), ([, lines = '']) => lines).filter(lines => lines.includes(SECRET))
await symlink(path.resolve('node_modules'), path.join(folder.path, 'node_modules'))
const file = path.join(folder.path, 'receiver.mjs')
await writeFile(file, code.replace('listen(8080)', `listen(${port})`))
const receiver = spawn(process.execPath, [file], { stdio: ['ignore', 'pipe', 'pipe'] })
for (const stream of [receiver.stdout, receiver.stderr]) stream?.setEncoding('utf8').on('data', text => (output += text))
await eventually(() => post('refused', '{}', 'whsec_AAAA'))

afterAll(() => receiver.kill())

// The bytes of an emoji came in two parts, each of which was decoded by itself: the signature did not fit, and the message came for ever.
it('takes a message whose bytes come one by one, and prints it once however often it comes', async () => {
  expect(await post('first', crossing('1'))).toBe(204)
  expect(await post('first', crossing('1'))).toBe(204)
  expect(await post('second', '{"type":"reorg","fromBlock":"12","cursor":"11-1","reorgs":1}')).toBe(204)
  await eventually(() => output.includes('void from block 12'))
  expect(output.split('\n').filter(line => line.startsWith(SYMBOL))).toEqual([`${SYMBOL} 0 1`])
})

it('goes on after a connection that broke in the middle of a message, and after a wrong signature', async () => {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.end('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n{"a"')
  await once(socket.resume(), 'close')
  expect(await post('third', crossing('2'), 'whsec_AAAA')).toBe(401)
  expect(await post('third', crossing('2'))).toBe(204)
  // While its secret is being changed.
  expect(await post('fourth', crossing('3'), `whsec_${'A'.repeat(32)} ${SECRET}`)).toBe(204)
  expect(receiver.exitCode).toBeNull()
})

const crossing = (after: string) =>
  JSON.stringify({ type: 'crossings', id: 'big', data: [{ token: { symbol: SYMBOL }, of: 'marketCapUsd', before: '0', after }] })

/** Sends each byte of a message as a part of its own. @returns the status */
async function post(id: string, body: string, secret = SECRET): Promise<number> {
  const timestamp = Math.floor(Date.now() / 1_000)
  const headers = {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': webhookSignature(secret, id, timestamp, body),
  }
  const sent = request({ port, host: '127.0.0.1', method: 'POST', headers })
  for (const byte of Buffer.from(body)) sent.write(Buffer.of(byte))
  sent.end()
  const [response] = await once(sent, 'response')
  response.resume()
  return response.statusCode
}
