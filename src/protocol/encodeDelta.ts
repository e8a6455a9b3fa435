import type { TradesSince } from '#resources/trades.ts'
import type { TokenDelta, TokenUpdate, UpdatedState } from './encodeUpdate.ts'

const encoder = new TextEncoder()

/**
 * The `token.delta` that makes the state `after` of the state `before`, both as their full updates have them, as JSON in UTF-8. It may be
 * larger than the full update.
 *
 * @param since the trades that `after` has and `before` lacks
 * @returns `null`: only a full update says all, because the newest trade does not follow from `before` and the new trades
 */
export function encodeDelta(before: UpdatedState, after: UpdatedState, { trades, replacedFrom }: TradesSince): Uint8Array | null {
  if (trades === null || change(trades.at(-1) ?? before.latestTrade, after.latestTrade) !== undefined) return null
  const { sequence, token, reason, sourceBlock, timestamp } = after
  const delta: TokenDelta = {
    type: 'token.delta',
    token: token.address,
    base: before.sequence,
    sequence,
    patch: change(before.token, token) as TokenDelta['patch'],
    holders: changedHolders(before.holders, after.holders),
    reason,
    sourceBlock,
    timestamp,
    trades,
    ...(replacedFrom !== null && { replacedFrom: String(replacedFrom) }),
  }
  return encoder.encode(JSON.stringify(delta))
}

/**
 * What `applyDelta` has to merge into a value to get another one; `undefined`: nothing. Objects have the same fields. Most of a state has
 * not changed, so only what has is allocated.
 */
function change(before: unknown, after: unknown): unknown {
  if (before === after) return undefined
  if (!isObject(before) || !isObject(after)) return after
  if (Array.isArray(after)) return isSameList(before, after) ? undefined : after
  let changes: Record<string, unknown> | undefined
  for (const name of Object.keys(after)) {
    const changed = change(before[name], after[name])
    if (changed === undefined) continue
    changes ??= {}
    changes[name] = changed
  }
  return changes
}

function isSameList(before: unknown, after: readonly unknown[]): boolean {
  return Array.isArray(before) && before.length === after.length && after.every((one, index) => change(before[index], one) === undefined)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function changedHolders(before: TokenUpdate['holders'], after: TokenUpdate['holders']): TokenDelta['holders'] {
  const left = new Map(before.map(holder => [holder.address, holder]))
  const set = after.filter(holder => {
    const earlier = left.get(holder.address)
    left.delete(holder.address)
    return change(earlier, holder) !== undefined
  })
  return { set, removed: [...left.keys()] }
}
