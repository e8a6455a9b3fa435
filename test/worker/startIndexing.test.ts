import { setTimeout as pause } from 'node:timers/promises'
import { lastValueFrom, take, tap, toArray } from 'rxjs'
import { afterEach, expect, it } from 'vitest'
import type { Config } from '#config'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import type { IndexingScript } from '#test/support/scriptedIndexing.ts'
import { loadThread } from '#worker/loadThread.ts'
import { type StartedThread, startIndexing } from '#worker/startIndexing.ts'

/* The main thread's side of the indexer, with a thread that does as it is told. */

const SCRIPT = new URL('../support/scriptedIndexing.ts', import.meta.url)
/** What the script lets itself commit before anything is taken, and the one commit that was under way. */
const MAX_AHEAD = 4 + 1

let started: StartedThread | null = null
afterEach(() => started?.close())

function startScript(behaviour: IndexingScript['behaviour']) {
  const committed = new Int32Array(new SharedArrayBuffer(4))
  const script: IndexingScript = { behaviour, committed: committed.buffer }
  const crashed = Promise.withResolvers<unknown>()
  const clock = { nowMs: 0 }
  started = startIndexing({
    thread: loadThread(SCRIPT, { maxOldGenerationSizeMb: 32 }),
    config: script as unknown as Config,
    onCrash: crashed.resolve,
    closeTimeoutMs: 1_000,
    now: () => clock.nowMs,
  })
  return { thread: started, commits: () => Atomics.load(committed, 0), crashed: crashed.promise, clock }
}

it('gives every block in order, and never before the health knows it', async () => {
  const { thread } = startScript('commits')
  const { blocks, view, chainId } = await thread.open('')
  expect(chainId).toBe(7)
  const numbers: number[] = []
  const known: (number | null)[] = []
  await lastValueFrom(
    blocks.pipe(
      take(50),
      tap(({ number }) => {
        numbers.push(number)
        known.push(view.state().indexedBlock)
      }),
    ),
  )
  expect(numbers).toEqual(Array.from({ length: 50 }, (_, index) => index + 1))
  expect(known).toEqual(numbers)
})

it('lets the thread commit only a few blocks more than are taken, however long the main thread is busy', async () => {
  const { thread, commits } = startScript('commits')
  const { blocks } = await thread.open('')
  const ahead: number[] = []
  await lastValueFrom(
    blocks.pipe(
      take(5),
      tap(({ number }) => {
        // Nothing else runs here meanwhile, as in a long flush.
        const begunMs = performance.now()
        const busyMs = () => performance.now() - begunMs
        // Until the thread has had a processor, too.
        while (busyMs() < 60 || (commits() <= number && busyMs() < POLL_LIMIT_MS));
        ahead.push(commits() - number)
      }),
    ),
  )
  expect(ahead).toHaveLength(5)
  expect(Math.max(...ahead)).toBeLessThanOrEqual(MAX_AHEAD)
  expect(Math.max(...ahead)).toBeGreaterThan(0)
})

it('emits the commit under way before a stop is over, and none after it', async () => {
  const { thread, commits } = startScript('commits')
  const { blocks, stop } = await thread.open('')
  const all = lastValueFrom(blocks.pipe(toArray()))
  while (commits() < 10) await pause(1)
  await stop()
  const emitted = await all
  expect(emitted.at(-1)?.number).toBe(commits())
  expect(emitted).toHaveLength(commits())
})

it('fails to open with the code, the sentence and the retryability that the thread found', async () => {
  const { thread } = startScript('fails to open')
  await expect(thread.open('')).rejects.toMatchObject({
    name: 'TokenwireError',
    code: 'chain_mismatch',
    message: 'another chain',
    retryable: true,
  })
})

it.each([
  ['throws', { message: 'a defect' }],
  ['rejects', { message: 'a defect of a promise' }],
  ['runs out of memory', { code: 'ERR_WORKER_OUT_OF_MEMORY' }],
  ['exits', { message: 'the indexing thread has ended with 3' }],
] as const)('tells of a thread that %s', async (behaviour, error) => {
  const { thread, crashed } = startScript(behaviour)
  const { blocks } = await thread.open('')
  blocks.subscribe()
  expect(await crashed).toMatchObject(error)
})

it('is stalled while the thread hangs, and can be ended all the same', async () => {
  const { thread, clock } = startScript('falls silent')
  const { blocks, view } = await thread.open('')
  blocks.subscribe()
  expect(view.state().stalled).toBe(false)
  clock.nowMs += 6_000
  expect(view.state()).toMatchObject({ stalled: true, reason: 'the indexing thread has not answered for 6 s' })
  await thread.close()
})

it('ends a thread that was never opened', async () => {
  const { thread, crashed } = startScript('commits')
  await thread.close()
  expect(await Promise.race([crashed, pause(0, 'no crash')])).toBe('no crash')
})
