interface State {
  readonly token: object
  readonly latestTrade: unknown
  readonly holders: readonly { readonly address: string; readonly rank: number }[]
}

/** What applying needs of a `token.delta`. */
export interface Delta {
  readonly base: number
  readonly patch: object
  readonly holders: { readonly set: State['holders']; readonly removed: readonly string[] }
  readonly trades: readonly unknown[]
}

/** The state that a `token.delta` makes of the state with the sequence `base`: the one that the full update would bring. */
export function applyDelta({ token, latestTrade, holders }: State, { patch, trades, holders: { set, removed } }: Delta): State {
  const gone = new Set([...removed, ...set.map(({ address }) => address)])
  return {
    token: merge(token, patch) as object,
    latestTrade: trades.at(-1) ?? latestTrade,
    holders: [...holders.filter(({ address }) => !gone.has(address)), ...set].sort((a, b) => a.rank - b.rank),
  }
}

/** Objects are merged field by field; all other values, `null` and lists too, replace the earlier one. */
function merge(before: unknown, patch: unknown): unknown {
  if (!isFields(before) || !isFields(patch)) return patch
  const changed = Object.entries(patch).map(([name, value]) => [name, merge(before[name], value)])
  return { ...before, ...Object.fromEntries(changed) }
}

export function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
