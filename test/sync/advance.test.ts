import { sql } from 'kysely'
import { expect, it } from 'vitest'
import { createChainSource } from '#chain/chainSource.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { type Advance, createAdvancer } from '#sync/advance.ts'
import type { ProjectedBatch } from '#sync/ports.ts'
import { createChainRpc } from '#test/support/chainRpc.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { createForkingChain } from '#test/support/forkingChain.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { indexAtOnce, openIndex } from '#test/support/simulatedIndex.ts'

const database = await useDatabase()
const fresh = await useDatabase()

it('prepares anew what was prepared before the block that it follows on was settled', async () => {
  const { chain, mine } = createForkingChain(createRandom(5), 64)
  mine(21)
  // What was traded before it is out of all windows, of tokens that are not traded in it, too.
  mine(1, 90_000)
  mine(60)
  // A run ends before a block that does not come, and much is known to follow on it.
  let lost = false
  const source = createChainSource({
    rpc: createChainRpc([chain], {
      intercept: (_, { params: [number] }, answer) => {
        if (number !== '0x17' || lost) return answer()
        lost = true
        throw new RpcError({ kind: 'network' })
      },
    }),
  })
  const genesisHash = chain.at(0).header.hash
  const { sink, directory } = await openIndex(database, { genesisHash, maxReorgDepth: 16 })
  const prepared = new Map<number, Promise<ProjectedBatch>>()
  const prepare: typeof sink.prepare = (batch, previous) => {
    const outcome = sink.prepare?.(batch, previous) ?? expect.unreachable()
    prepared.set(batch.from, outcome)
    return outcome
  }
  const advancer = createAdvancer({
    source,
    sink: { ...sink, prepare },
    watchlist: directory,
    state: { indexed: () => {}, reorged: () => {}, trouble: () => {} },
    report: { planned: () => {}, committed: () => {} },
    genesisHash,
    maxReorgDepth: 16,
    followBlocks: 100,
    logger: silentLogger,
  })
  const advance = (head: number): Promise<Advance> => {
    const { header } = chain.at(head)
    return advancer.advance({ head: header, confirmed: header, block: null })
  }
  const advanceTo = async (block: number, head: number) => {
    for (let advanced = await advance(head); ; advanced = await advance(head)) {
      if (advanced.kind === 'committed' && advanced.block.number === block) return
    }
  }

  await advanceTo(20, 20)
  await advanceTo(22, 82)
  await expect.poll(() => prepared.has(23)).toBe(true)
  await prepared.get(23)
  // For a moment the chain seems to end there.
  expect(await advance(22)).toMatchObject({ kind: 'committed', block: { number: 22 } })
  expect(await advance(22)).toEqual({ kind: 'idle' })
  await advanceTo(82, 82)

  await indexAtOnce(fresh, chain, 82)
  expect(await dumpTables(database.kysely)).toEqual(await dumpTables(fresh.kysely))
  const totals = (db: typeof database) =>
    sql`select tokens, trades_h24, volume_h24, traders_h24, liquidity_weth from index_totals`.execute(db.kysely).then(({ rows }) => rows)
  expect(await totals(database)).toEqual(await totals(fresh))
})
