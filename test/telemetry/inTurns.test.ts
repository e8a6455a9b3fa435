import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { createTurns, inTurns } from '#telemetry/inTurns.ts'

/** Writes lines in parts, with a pause between them that any other thread would use. */
const WRITER = `
  import { parentPort, workerData } from 'node:worker_threads'
  const { module, turns, place, letter } = workerData
  const { inTurns } = await import(module)
  const bytes = new Uint8Array(place)
  const end = new Int32Array(place, 0, 1)
  const put = () => { bytes[4 + Atomics.add(end, 0, 1)] = letter.charCodeAt(0) }
  const destination = inTurns({ write: line => { for (const _ of line) { put(); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.05) } } }, turns)
  for (let n = 0; n < 40; n++) destination.write('12345')
`

it('keeps the lines of two threads whole', async () => {
  const turns = createTurns()
  const place = new SharedArrayBuffer(4 + 400)
  const module = new URL('../../src/telemetry/inTurns.ts', import.meta.url).href
  const workers = ['a', 'b'].map(
    letter => new Worker(new URL(`data:text/javascript,${encodeURIComponent(WRITER)}`), { workerData: { module, turns, place, letter } }),
  )
  await Promise.all(workers.map(worker => once(worker, 'exit')))
  const written = Buffer.from(new Uint8Array(place).slice(4)).toString()
  expect(written).toHaveLength(400)
  expect(written).toMatch(/^(?:aaaaa|bbbbb)+$/)
})

it('lets the next one write after a destination has thrown', () => {
  const turns = createTurns()
  const lines: string[] = []
  const failing = inTurns(
    {
      write: () => {
        throw new Error('full')
      },
    },
    turns,
  )
  expect(() => failing.write('a')).toThrow('full')
  inTurns({ write: line => void lines.push(line) }, turns).write('b')
  expect(lines).toEqual(['b'])
})
