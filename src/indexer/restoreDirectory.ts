import type { WatchRows } from '#database/watchRows.ts'
import type { Discovery, LaunchpadAdapter } from '#launchpads/adapter.ts'
import { createDirectory, type Directory } from '#launchpads/directory.ts'

/** The directory as it was after the last commit. */
export function restoreDirectory(adapters: readonly LaunchpadAdapter[], rows: WatchRows): Directory {
  const decimals = new Map(rows.tokens.map(token => [token.address, token.decimals]))
  const tokens = rows.tokens.map(
    ({ address, launchpad }): Discovery => ({ address, watched: { role: 'token', launchpad, token: address } }),
  )
  const pools = rows.pools.map(({ address, token, launchpad, type, quoteToken, quoteDecimals, tokenIsToken0, feeBps }): Discovery => {
    const pool = { address, type, quoteToken, quoteDecimals, tokenIsToken0, feeBps }
    const tokenDecimals = decimals.get(token)
    if (tokenDecimals === undefined) throw new TypeError(`pool ${address} is of a token that is not indexed`)
    return { address, watched: { role: 'pool', launchpad, token, pool, tokenDecimals } }
  })
  return createDirectory(adapters, [...tokens, ...pools])
}
