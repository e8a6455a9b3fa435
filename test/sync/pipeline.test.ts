import { concat, NEVER, of, Subject } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { conflateMap } from '#async/conflateMap.ts'
import type { ChainTip } from '#chain/chainTips.ts'
import type { HeadHint } from '#chain/heads.ts'
import type { Advance } from '#sync/advance.ts'
import { type PipelineOptions, pipeline } from '#sync/pipeline.ts'
import { withoutWaiting } from '#test/support/indexing.ts'
import { createSimulatedChain } from '#test/support/simulatedChain.ts'

const { header } = createSimulatedChain().head()
const tipAt = (number: number): ChainTip => ({ head: { ...header, number }, confirmed: { ...header, number }, block: null })
const committed = (number: number): Advance => ({
  kind: 'committed',
  block: { number, hash: header.hash, timestamp: 0, completedAtMs: 0, tokens: [], unread: [], dropped: [] },
})

/** A pipeline over a chain that is just a number, and an index that is another. */
function open(overrides: Partial<PipelineOptions> = {}) {
  const hints = new Subject<HeadHint>()
  const seen = { head: 3, indexed: 0, retries: [] as number[], gaveUp: [] as unknown[], tipFaults: 0, steps: 0, steppingAtOnce: 0, most: 0 }
  const emitted: number[] = []
  const options: PipelineOptions = {
    hints,
    fetchTip: async () => tipAt(seen.head),
    advance: async tip => {
      seen.steps++
      seen.most = Math.max(seen.most, ++seen.steppingAtOnce)
      await Promise.resolve()
      seen.steppingAtOnce--
      return seen.indexed < tip.confirmed.number ? committed(++seen.indexed) : { kind: 'idle' }
    },
    hasWork: tip => seen.indexed < tip.confirmed.number,
    retryPolicy: (_, attempt) => (attempt > 5 ? { kind: 'give-up' } : { kind: 'retry', afterMs: attempt }),
    onTip: () => undefined,
    onTipFault: () => seen.tipFaults++,
    onRetry: (_, attempt) => seen.retries.push(attempt),
    onGiveUp: error => seen.gaveUp.push(error),
    scheduler: withoutWaiting,
    ...overrides,
  }
  const subscription = pipeline(options).subscribe({
    next: ({ number }) => emitted.push(number),
    error: () => expect.unreachable('it never errors'),
    complete: () => expect.unreachable('it does not complete by itself'),
  })
  return { hints, seen, emitted, subscription }
}

describe('the pipeline', () => {
  it('takes step after step while there is work, one at a time, and then rests until a tip has work in it', async () => {
    const { hints, seen, emitted, subscription } = open()
    await expect.poll(() => emitted).toEqual([1, 2, 3])
    await expect.poll(() => seen.steps).toBe(4)
    hints.next('due')
    hints.next('due')
    await expect.poll(() => seen.steppingAtOnce).toBe(0)
    expect(seen.steps).toBe(4)
    seen.head = 5
    hints.next('due')
    await expect.poll(() => emitted).toEqual([1, 2, 3, 4, 5])
    expect(seen.most).toBe(1)
    subscription.unsubscribe()
  })

  it('misses no head that comes while a step is under way', async () => {
    const gate = Promise.withResolvers<void>()
    let indexed = 0
    const { hints, seen, emitted, subscription } = open({
      advance: async tip => {
        if (indexed === 2) await gate.promise
        return indexed < tip.confirmed.number ? committed(++indexed) : { kind: 'idle' }
      },
      hasWork: tip => indexed < tip.confirmed.number,
    })
    await expect.poll(() => indexed).toBe(2)
    seen.head = 4
    hints.next('due')
    await Promise.resolve()
    gate.resolve()
    await expect.poll(() => emitted).toEqual([1, 2, 3, 4])
    subscription.unsubscribe()
  })

  it('repeats a failing step as the policy says, counting failures in a row', async () => {
    let failures = [2, 0, 3]
    let indexed = 0
    const { emitted, seen, subscription } = open({
      advance: async tip => {
        const [left = 0, ...rest] = failures
        if (left > 0) {
          failures = [left - 1, ...rest]
          throw new Error('x')
        }
        if (indexed >= tip.confirmed.number) return { kind: 'idle' }
        failures = rest
        return committed(++indexed)
      },
      hasWork: tip => indexed < tip.confirmed.number,
    })
    await expect.poll(() => emitted).toEqual([1, 2, 3])
    expect(seen.retries).toEqual([1, 2, 1, 2, 3])
    subscription.unsubscribe()
  })

  it('ends the loop when the policy gives up, and watches the tip on', async () => {
    let tips = 0
    const { hints, seen, subscription } = open({ advance: () => Promise.reject(new Error('hopeless')), onTip: () => tips++ })
    await expect.poll(() => seen.gaveUp).toHaveLength(1)
    expect(seen.retries).toEqual([1, 2, 3, 4, 5])
    const before = tips
    hints.next('due')
    await expect.poll(() => tips).toBe(before + 1)
    expect(subscription.closed).toBe(false)
    subscription.unsubscribe()
  })

  it('goes on seeing the tip while a step hangs', async () => {
    const heads: number[] = []
    const { hints, seen, subscription } = open({
      advance: () => new Promise(() => undefined),
      onTip: ({ head }) => heads.push(head.number),
    })
    await expect.poll(() => heads).toEqual([3])
    seen.head = 9
    hints.next('due')
    await expect.poll(() => heads).toEqual([3, 9])
    subscription.unsubscribe()
  })

  it('outlives a tip that can not be fetched', async () => {
    let fails = true
    const { hints, seen, emitted, subscription } = open({
      fetchTip: () => (fails ? Promise.reject(new Error('x')) : Promise.resolve(tipAt(2))),
    })
    await expect.poll(() => seen.tipFaults).toBe(1)
    fails = false
    hints.next('due')
    await expect.poll(() => emitted).toEqual([1, 2])
    subscription.unsubscribe()
  })

  it('takes no step after it was unsubscribed', async () => {
    const { hints, seen, subscription, emitted } = open()
    await expect.poll(() => emitted).toEqual([1, 2, 3])
    await expect.poll(() => seen.steps).toBe(4)
    subscription.unsubscribe()
    seen.head = 9
    hints.next('due')
    await Promise.resolve()
    expect({ steps: seen.steps, observed: hints.observed }).toEqual({ steps: 4, observed: false })
  })
})

describe('conflateMap', () => {
  it('runs once more with the newest of what came meanwhile', () => {
    const source = new Subject<number>()
    const projects: Subject<string>[] = []
    const begun: number[] = []
    const seen: string[] = []
    let completed = false
    source
      .pipe(
        conflateMap(value => {
          begun.push(value)
          const project = new Subject<string>()
          projects.push(project)
          return project
        }),
      )
      .subscribe({ next: value => seen.push(value), complete: () => (completed = true) })
    for (const value of [1, 2, 3]) source.next(value)
    expect(begun).toEqual([1])
    projects[0]?.next('a')
    projects[0]?.complete()
    expect(begun).toEqual([1, 3])
    source.complete()
    expect(completed).toBe(false)
    projects[1]?.next('b')
    projects[1]?.complete()
    expect({ seen, begun, completed }).toEqual({ seen: ['a', 'b'], begun: [1, 3], completed: true })
  })

  it('lets go of what is under way when it is unsubscribed', () => {
    const project = new Subject<string>()
    const subscription = concat(of(1), NEVER)
      .pipe(conflateMap(() => project))
      .subscribe()
    expect(project.observed).toBe(true)
    subscription.unsubscribe()
    expect(project.observed).toBe(false)
  })

  it('passes errors on, of the source and of the work', () => {
    const errors: unknown[] = []
    const source = new Subject<number>()
    source.pipe(conflateMap(() => of(1))).subscribe({ error: (error: unknown) => errors.push(error) })
    source.error('source')
    const broken = conflateMap<number, number>(() => {
      throw new Error('work')
    })
    of(1)
      .pipe(broken)
      .subscribe({ error: (error: unknown) => errors.push((error as Error).message) })
    expect(errors).toEqual(['source', 'work'])
  })
})
