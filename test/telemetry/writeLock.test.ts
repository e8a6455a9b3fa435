import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { createWriteLock, withWriteLock } from '#telemetry/writeLock.ts'

/** Writes lines in parts, with a pause between them that any other thread would use. */
const WRITER = `
  import { parentPort, workerData } from 'node:worker_threads'
  const { module, lock, place, letter } = workerData
  const { withWriteLock } = await import(module)
  const bytes = new Uint8Array(place)
  const end = new Int32Array(place, 0, 1)
  const put = () => { bytes[4 + Atomics.add(end, 0, 1)] = letter.charCodeAt(0) }
  const destination = withWriteLock({ write: line => { for (const _ of line) { put(); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 0.05) } } }, lock)
  for (let n = 0; n < 40; n++) destination.write('12345')
`

it('keeps the lines of two threads whole', async () => {
  const lock = createWriteLock()
  const place = new SharedArrayBuffer(4 + 400)
  const module = new URL('../../src/telemetry/writeLock.ts', import.meta.url).href
  const workers = ['a', 'b'].map(
    letter => new Worker(new URL(`data:text/javascript,${encodeURIComponent(WRITER)}`), { workerData: { module, lock, place, letter } }),
  )
  await Promise.all(workers.map(worker => once(worker, 'exit')))
  const written = Buffer.from(new Uint8Array(place).slice(4)).toString()
  expect(written).toHaveLength(400)
  expect(written).toMatch(/^(?:aaaaa|bbbbb)+$/)
})

it('lets the next one write after a destination has thrown', () => {
  const lock = createWriteLock()
  const lines: string[] = []
  const failing = withWriteLock(
    {
      write: () => {
        throw new Error('full')
      },
    },
    lock,
  )
  expect(() => failing.write('a')).toThrow('full')
  withWriteLock({ write: line => void lines.push(line) }, lock).write('b')
  expect(lines).toEqual(['b'])
})
