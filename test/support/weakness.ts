import { createRandom } from '#devchain/traders/random.ts'
import type { FakeCall, Misbehaviour } from './fakeProvider.ts'

/** What a provider does with a call, in the request of that number, instead of answering it. */
export type Weakness = (call: FakeCall, request: number) => Misbehaviour | undefined

type NowMs = () => number

/** Answers this many calls in a second, counting each call of a batch, and refuses what comes faster. */
export function callQuota(perSecond: number, nowMs: NowMs): Weakness {
  const takes = tokenBucket(perSecond, nowMs)
  return () => (takes() ? undefined : { kind: 'error', code: -32_005, message: 'over the rate limit' })
}

/** Answers this many requests in a second, whatever is in them, and refuses what comes faster. */
export function requestQuota(perSecond: number, nowMs: NowMs, headers: Readonly<Record<string, string>> = {}): Weakness {
  const takes = perRequest(tokenBucket(perSecond, nowMs))
  return (_, request) => (takes(request) ? undefined : { kind: 'http', status: 429, headers })
}

/** Loses this share of the requests. */
export function losing(share: number, kind: 'reset' | 'hang'): Weakness {
  const random = createRandom(7)
  const loses = perRequest(() => random.chance(share))
  return (_, request) => (loses(request) ? { kind } : undefined)
}

/** Refuses log queries of more blocks, without a number. */
export function rangeLimit(maxBlocks: number): Weakness {
  return ({ params }) => {
    const { fromBlock, toBlock } = (params[0] ?? {}) as { readonly fromBlock?: string; readonly toBlock?: string }
    if (fromBlock === undefined || Number(toBlock) - Number(fromBlock) < maxBlocks) return undefined
    return { kind: 'error', code: -32_000, message: 'block range is too large' }
  }
}

export function both(one: Weakness, other: Weakness): Weakness {
  return (call, request) => one(call, request) ?? other(call, request)
}

/** It holds a second's worth at first. */
function tokenBucket(perSecond: number, nowMs: NowMs): () => boolean {
  let tokens = perSecond
  let atMs = nowMs()
  return () => {
    tokens = Math.min(perSecond, tokens + ((nowMs() - atMs) / 1_000) * perSecond)
    atMs = nowMs()
    if (tokens < 1) return false
    tokens--
    return true
  }
}

/** Decides once for all calls of a request. */
function perRequest(decide: () => boolean): (request: number) => boolean {
  let decided = -1
  let decision = false
  return request => {
    if (request !== decided) decision = decide()
    decided = request
    return decision
  }
}
