import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { monotonicMs } from '#clock'

it('shows the same time in every thread', async () => {
  const code = `
    import { parentPort, workerData } from 'node:worker_threads'
    const { monotonicMs } = await import(workerData)
    parentPort.postMessage(monotonicMs())`
  const workerData = new URL('../src/clock.ts', import.meta.url).href
  const beforeMs = monotonicMs()
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), { workerData })
  const [shownMs] = (await once(worker, 'message')) as [number]
  expect(shownMs).toBeGreaterThan(beforeMs)
  expect(shownMs).toBeLessThan(monotonicMs())
  await worker.terminate()
})
