import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { clockOriginNs } from '#worker/sharedClock.ts'

it('gives another thread the time of this one', async () => {
  const code = `
    import { parentPort, workerData } from 'node:worker_threads'
    const { clockOf } = await import(workerData.module)
    parentPort.postMessage(clockOf(workerData.originNs)())`
  const module = new URL('../../src/worker/sharedClock.ts', import.meta.url).href
  const originNs = clockOriginNs()
  const beforeMs = performance.now()
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData: { module, originNs } })
  const [toldMs] = (await once(worker, 'message')) as [number]
  const afterMs = performance.now()
  // Two readings of a clock are tied together within what they take.
  expect(toldMs).toBeGreaterThan(beforeMs - 0.5)
  expect(toldMs).toBeLessThan(afterMs + 0.5)
  await worker.terminate()
})
