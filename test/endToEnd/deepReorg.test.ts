import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { parseEther } from 'viem'
import { expect, test } from 'vitest'
import { buyOnCurve } from '#devchain/actions.ts'
import type { IndexerHealth } from '#resources/health.ts'
import type { Token } from '#resources/token.ts'
import type { Trade } from '#resources/trades.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { eventually } from '#test/support/eventually.ts'
import { type FeedClient, openFeed } from '#test/support/feedClient.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { launchToken } from '#test/support/launchToken.ts'
import { serviceFolder } from '#test/support/service.ts'
import { cursorOf } from '#test/support/simulatedIndex.ts'

/* A reorg that is deeper than can be undone: the index is built anew beside the one that is served, and takes its place. */

const run = promisify(execFile)

test.each([
  ['by the setting', { MAX_REORG_DEPTH: '2', REBUILD_ON_DEEP_REORG: 'true' }],
  ['by the command, where no block can be undone', { MAX_REORG_DEPTH: '0' }],
])('recovers %s: sequences rise, and no trade is lost or doubled', async (_, settings) => {
  const [database, fresh] = [await useDatabase({ migrated: false }), await useDatabase()]
  const chain = await startTestChain({ timestamp: Math.floor(Date.now() / 1_000) - 7_200 })
  const folder = await serviceFolder(chain)
  const alpha = await launchToken(chain, { firstBuyWei: parseEther('0.05') })
  const from = chain.account(2)
  const buy = (paid: string) => chain.mined(buyOnCurve(chain, { from, curve: alpha.curve, paidWei: parseEther(paid) }))
  await buy('0.1')
  await chain.mine(3)
  const env = { DATABASE_URL: database.url, ...settings }
  const service = await folder.start(env)
  const tokenOf = () => service.get<Token>(`/api/tokens/${alpha.token}`)
  const health = () => service.get<IndexerHealth>('/api/indexer/health')
  const indexed = async () => {
    const { hash } = await chain.client.getBlock({ blockTag: 'latest' })
    await eventually(async () => (await cursorOf(database.kysely))?.hash === hash)
  }
  await indexed()
  const feed = await openFeed(service.url)
  feed.send({ type: 'subscribe', token: alpha.token })
  feed.send({ type: 'subscribe', channel: 'trades', after: '0-0', reorgs: 0 })
  await feed.next(({ type }) => type === 'token.update')
  for (const paid of ['0.2', '0.3', '0.4', '0.5']) await buy(paid)
  await indexed()
  const before = await tokenOf()

  await chain.reorg(5)
  await buy('0.6')
  await chain.mine(2)
  if (!('REBUILD_ON_DEEP_REORG' in settings)) {
    await eventually(async () => {
      const { status, reasons } = await health()
      return status === 'stalled' && reasons.some(reason => reason.includes('npm run launchpads -- rebuild builds the index anew'))
    })
    await run(process.execPath, ['src/commands/launchpads.ts', 'rebuild'], { env: { ...process.env, ...folder.env, ...env } })
  }
  await indexed()
  await buy('0.7')
  await indexed()
  await eventually(async () => (await health()).status === 'ok')

  await (await openChainIndex(chain, fresh)).indexRange(chain.deployment.startBlock)
  expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
  const token = await tokenOf()
  expect(token.sequence).toBeGreaterThan(before.sequence)
  await eventually(() => feed.updates(alpha.token).at(-1)?.sequence === token.sequence)
  expect(feed.updates(alpha.token).at(-1)?.token).toEqual(token)
  const sequences = feed.updates(alpha.token).map(({ sequence }) => sequence)
  expect(sequences).toEqual([...new Set(sequences)].toSorted((a, b) => a - b))
  const { data: trades } = await service.get<{ data: readonly Trade[] }>(`/api/tokens/${alpha.token}/trades?order=asc&limit=100`)
  await eventually(() => heldTrades(feed).at(-1) === trades.at(-1)?.id)
  expect(heldTrades(feed)).toEqual(trades.map(({ id }) => id))
  feed.close()
  expect(await service.stop()).toBe(0)
})

/** The ids of the trades of the channel, without those that a reorg has made void. */
function heldTrades({ messages }: FeedClient): readonly string[] {
  let held: readonly Trade[] = []
  for (const { type, data, fromBlock } of messages) {
    if (type === 'reorg') held = held.filter(({ blockNumber }) => Number(blockNumber) < Number(fromBlock))
    if (type === 'trades') held = [...held, ...(data as readonly Trade[])]
  }
  return held.map(({ id }) => id)
}
