import { expect, it } from 'vitest'
import type { Address } from '#domain/address.ts'
import { project } from '#index/project/project.ts'
import { valuationOf } from '#index/project/values.ts'
import { memoryRows } from '#test/support/memoryRows.ts'
import { CURVE, DEAL, decoded, FACTORY, HEADER, LAUNCH, logOf, mappedAdapter, OTHER, TOKEN, WETH, WHO } from './mappedLaunchpad.ts'

// A mapping that takes one contract for all tokens for each token's own curve: nothing at start can tell, and the pool's row went from
// token to token.

const adapter = mappedAdapter({ launch: LAUNCH, trade: { ...DEAL, emitter: 'curve' } })
const launch = (token: Address, curve: Address) => logOf(FACTORY, LAUNCH.event, token, WHO, curve)
const deal = (token: Address) => logOf(CURVE, DEAL.event, token, WHO, 1n, 10n ** 18n, 10n ** 15n)

it('a second token that names the curve of another one has no pool, and takes nothing from the first', () => {
  const { events, malformed, directory, logs } = decoded([adapter], [launch(TOKEN, CURVE), launch(OTHER, CURVE), deal(TOKEN), deal(OTHER)])
  // The deal of the second token comes from what is known as the first one's curve.
  expect(malformed).toEqual([logs[3]])
  const known = { ...valuationOf({ weth: WETH }, []), providedEthUsd: null, directory }
  const changes = project({ events, rows: memoryRows().load(HEADER.timestamp), now: HEADER.timestamp, ...known })
  expect(changes.pools).toMatchObject([{ address: CURVE, token: TOKEN }])
  expect(changes.tokens.map(({ address, mainPool, tradeCount }) => [address, mainPool, tradeCount])).toEqual([
    [TOKEN, CURVE, 1],
    [OTHER, null, 0],
  ])
})

it('a launch that names a contract of the entry as the curve is counted as one that does not fit', () => {
  const { directory, logs, ...result } = decoded([adapter], [launch(TOKEN, FACTORY)])
  expect(directory.discoveries(logs)).toEqual([])
  expect(result).toEqual({ events: [], malformed: logs })
})
