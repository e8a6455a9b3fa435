import { once } from 'node:events'
import { connect, type LookupFunction, type Socket } from 'node:net'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { allowSlowConnections } from '#async/connecting.ts'

/** Listens with room for two connections, and accepts none until the flag is set. */
const LISTENER = `
  const { createServer } = require('node:net')
  const { parentPort, workerData } = require('node:worker_threads')
  const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    parentPort.postMessage(server.address().port)
    Atomics.wait(workerData, 0, 0)
  })`

it('reaches a name whose first address takes a second to connect, and whose other one refuses', async () => {
  allowSlowConnections()
  const flag = new Int32Array(new SharedArrayBuffer(4))
  const listener = new Worker(LISTENER, { eval: true, workerData: flag })
  const [port] = (await once(listener, 'message')) as [number]
  const fillers: Socket[] = []
  for (let n = 0; n < 2; n++) {
    const filler = connect({ port, host: '127.0.0.1' })
    fillers.push(filler)
    await once(filler, 'connect')
  }
  const lookup: LookupFunction = (_, __, callback) =>
    callback(null, [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ])
  // The kernel drops this one's first packet, and sends it again after a second.
  const slow = connect({ port, host: 'slow.invalid', lookup })
  const ended = Promise.race([once(slow, 'connect').then(() => 'connected'), once(slow, 'error').then(([error]) => String(error))])
  setTimeout(() => {
    Atomics.store(flag, 0, 1)
    Atomics.notify(flag, 0)
  }, 300)
  expect(await ended).toBe('connected')
  for (const socket of [...fillers, slow]) socket.destroy()
  await listener.terminate()
})
