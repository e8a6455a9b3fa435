import { type PluginTransformQueryArgs, sql } from 'kysely'
import { parseEther } from 'viem'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { swapThroughRouter } from '#devchain/actions.ts'
import { type Address, toAddress } from '#domain/address.ts'
import type { CommitJob } from '#jobs/commitJob.ts'
import { createLpFeeRefresher } from '#jobs/lpFeeRefresher.ts'
import { createAdapters } from '#launchpads/registry.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { createRpc, type Rpc } from '#rpc/rpc.ts'
import { RpcError, type RpcFault } from '#rpc/rpcFault.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createTransaction } from '#store/connection/transaction.ts'
import { createReads } from '#store/reads/reads.ts'
import { undoBlocks } from '#store/rows/undo.ts'
import { startTestChain } from '#test/support/chain.ts'
import { deployClankerV31, type LaunchedClanker } from '#test/support/clankerV31.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { openChainIndex } from '#test/support/indexChain.ts'
import { testAddress } from '#test/support/simulatedChain.ts'

const OWNER = toAddress(`0x${'c3'.repeat(20)}`)
const HEIR = toAddress(`0x${'d4'.repeat(20)}`)
const database = await useDatabase()
let indexed = 0

const chain = await startTestChain()
const [, creator, alice] = chain.accounts as [Address, Address, Address]
const clanker = await deployClankerV31(chain)
const rpc = createRpc({ urls: [chain.anvil.url], chainId: null, logger: silentLogger })
const paid = { paired: chain.deployment.weth, recipient: OWNER }
const first = await clanker.launch(creator, { ...paid, name: 'A', symbol: 'A', first: true, share: 37, buy: '0.123' })
const second = await clanker.launch(creator, { ...paid, name: 'B', symbol: 'B', first: false, share: 80, buy: '0.1' })
const index = await openChainIndex(chain, database, null, clanker.launchpads)
for (const { token } of [first, second]) {
  await swap(token, 'buy', parseEther('0.3') + 7n)
  await swap(token, 'sell', 12_345_678_901_234_567n)
}
afterAll(() => rpc.close())
beforeEach(async () => {
  await sql`truncate uncollected_fee`.execute(database.kysely)
})

const UNKNOWN_METHOD: RpcFault = { kind: 'rejected', code: -32601, text: 'the method eth_simulateV1 does not exist' }
const noSimulation: Intercept = method => (method === 'eth_simulateV1' ? UNKNOWN_METHOD : null)

describe('what lies in a position', () => {
  it.each([
    ['the simulated collection', () => null],
    ['the position, where transactions are not simulated', noSimulation],
  ] as const)('is what a collection would pay the creator, by %s', async (_, intercept) => {
    const block = await indexAll()
    expect(await claimable(first.token)).toMatchObject({ weth: null, token: null })
    const one = refresher(10, intercept)
    await refresh(one, block)
    for (const launched of [first, second]) {
      const found = await claimable(launched.token)
      expect(found).toEqual({ asOfBlock: block.number, ...(await collected(launched)) })
      expect(BigInt(found.weth ?? 0)).toBeGreaterThan(0n)
      expect(BigInt(found.token ?? 0)).toBeGreaterThan(0n)
    }
    expect(one.asked.filter(method => method === 'eth_simulateV1').length).toBe(2)
    expect(one.asked.filter(method => method === 'eth_call').length).toBeGreaterThan(intercept === noSimulation ? 2 : -1)
  })

  it('is of the block that was asked for when the pool moves, until it is asked for again', async () => {
    const one = refresher(3)
    const before = await indexAll()
    await refresh(one, before)
    const then = await claimable(first.token)
    await swap(first.token, 'buy', parseEther('0.2'))
    const moved = await indexAll()
    await refresh(one, moved)
    expect(await claimable(first.token)).toEqual({ ...then, asOfBlock: before.number })
    expect(await claimable(second.token)).toMatchObject({ asOfBlock: moved.number })
    await chain.mine()
    const later = await indexAll()
    const asked = one.asked.length
    await refresh(one, later)
    expect(await claimable(first.token)).toEqual({ ...(await collected(first)), asOfBlock: later.number })
    // The other one has not moved.
    expect(one.asked.length - asked).toBe(2)
  })

  it('is not known from a collection or a handover on, until it is asked for again', async () => {
    const one = refresher(1)
    await refresh(one, await indexAll())
    await clanker.collect(alice, second.positionId)
    const collection = await indexAll()
    expect(await claimable(second.token)).toEqual({ asOfBlock: collection.number, weth: null, token: null })
    await refresh(one, collection)
    expect(await claimable(second.token)).toEqual({ asOfBlock: collection.number, weth: '0', token: '0' })
    await swap(second.token, 'buy', parseEther('0.1'))
    await clanker.handOver(creator, second.positionId, HEIR)
    const handover = await indexAll()
    expect(await claimable(second.token)).toMatchObject({ weth: '0', token: '0' })
    expect(await claimable(second.token, HEIR)).toMatchObject({ weth: null, token: null })
    await refresh(one, handover)
    expect(BigInt((await claimable(second.token, HEIR)).weth ?? 0)).toBeGreaterThan(0n)
    expect(await claimable(second.token)).toEqual({ asOfBlock: handover.number, weth: '0', token: '0' })
  })

  it('is known of the new owner, also without further trades', async () => {
    const one = refresher(1)
    await refresh(one, await indexAll())
    await clanker.handOver(creator, first.positionId, HEIR)
    await clanker.handOver(creator, first.positionId, OWNER)
    const handover = await indexAll()
    expect(await claimable(first.token)).toMatchObject({ weth: null, token: null })
    await refresh(one, handover)
    expect(await claimable(first.token)).toEqual({ asOfBlock: handover.number, ...(await collected(first)) })
  })

  it('is null when the providers refuse, and is not asked for again until it moves', async () => {
    const one = refresher(1, method => (method === 'eth_getBlockByNumber' ? null : { kind: 'missing', what: 'the state' }))
    await refresh(one, await indexAll())
    expect(await claimable(first.token)).toMatchObject({ weth: null, token: null })
    const asked = one.asked.length
    await refresh(one, await indexAll())
    expect(one.asked.length).toBe(asked)
    await swap(first.token, 'buy', parseEther('0.01'))
    await refresh(one, await indexAll())
    expect(one.asked.length).toBeGreaterThan(asked)
  })

  it('is asked for again after a lost question, and after a restart', async () => {
    const one = refresher(5, (method, count) => (method === 'eth_simulateV1' && count <= 6 ? { kind: 'timeout' } : null))
    await refresh(one, await indexAll())
    expect(await claimable(first.token)).toMatchObject({ weth: null })
    await refresh(one, await indexAll())
    expect(await claimable(first.token)).toMatchObject(await collected(first))
    await swap(first.token, 'sell', 10n ** 15n)
    const block = await indexAll()
    // No message tells a new process that the token has changed.
    await refresh(refresher(1), { ...block, tokens: [] })
    expect(await claimable(first.token)).toEqual({ ...(await collected(first)), asOfBlock: block.number })
  })

  it('is asked for of tokens without subscribers, without a search through all', async () => {
    const searches: boolean[] = []
    const noteSearch = ({ node }: PluginTransformQueryArgs) => {
      searches.push(!JSON.stringify(node).includes('any('))
      return node
    }
    const db = database.kysely.withPlugin({ transformQuery: noteSearch, transformResult: async ({ result }) => result })
    const one = refresher(1, () => null, db)
    await refresh(one, await indexAll())
    expect(searches).toContain(true)
    searches.length = 0
    await swap(first.token, 'buy', parseEther('0.02'))
    const block = await indexAll()
    await refresh(one, { ...block, tokens: [], unread: [testAddress(1), first.token] })
    expect(await claimable(first.token)).toEqual({ ...(await collected(first)), asOfBlock: block.number })
    expect(searches).toEqual([false])
  })

  it('does not outlive the block that was asked for', async () => {
    await swap(first.token, 'sell', 10n ** 15n)
    const block = await indexAll()
    await refresh(refresher(1), block)
    expect(await claimable(first.token)).toMatchObject({ asOfBlock: block.number, weth: expect.any(String) })
    await database.orm.em.fork().transactional(em => undoBlocks(em.getKysely<unknown>() as Queryable, block.number - 1, Date.now()))
    expect(await claimable(first.token)).toMatchObject({ weth: null })
    // Replaced while the question is under way.
    const one = refresher(1)
    await refresh(one, block)
    expect(one.asked).toContain('eth_simulateV1')
    expect(await claimable(first.token)).toMatchObject({ weth: null })
  })
})

/** Asks the chain, unless the question is refused or lost by this. */
type Intercept = (method: string, count: number) => RpcFault | null | Promise<null>

function refresher(
  everyBlocks: number,
  intercept: Intercept = () => null,
  db: Queryable = database.kysely,
): CommitJob & { readonly asked: string[] } {
  const asked: string[] = []
  const ask: Rpc['ask'] = question =>
    rpc.ask(provider =>
      question({
        ...provider,
        calls: async calls => {
          for (const { method } of calls) {
            asked.push(method)
            const fault = await intercept(method, asked.filter(one => one === method).length)
            if (fault !== null) throw new RpcError(fault, provider.name)
          }
          return provider.calls(calls)
        },
      }),
    )
  const made = createLpFeeRefresher({
    rpc: { ask },
    adapters: createAdapters({ weth: chain.deployment.weth, launchpads: clanker.launchpads }),
    db,
    transaction: createTransaction(database.orm),
    writer: index.writer,
    everyBlocks,
    isBehind: () => false,
    logger: silentLogger,
  })
  return { ...made, asked }
}

async function refresh(one: CommitJob, block: CommittedBlock): Promise<void> {
  one.committed(block)
  await one.settled()
}

async function claimable(token: Address, owner = OWNER) {
  const { chainId, weth } = chain.deployment
  const [adapter] = createAdapters({ weth, launchpads: clanker.launchpads })
  const reads = createReads({ db: database.kysely, chainId, weth, claimCall: target => adapter?.claimCall(target) ?? null })
  const answer = (await reads.claimable({ address: token, creator: owner })) ?? expect.unreachable()
  const amounts = new Map(answer.claimable.map(({ currency, amount }) => [currency, amount]))
  for (const { accrued, claimed, amount } of answer.claimable)
    expect(accrued).toBe(amount === null ? null : String(BigInt(claimed) + BigInt(amount)))
  return { asOfBlock: Number(answer.asOfBlock), weth: amounts.get(weth), token: amounts.get(token) }
}

/** What a collection would pay, as the balances tell when it is done; it is undone again. */
async function collected({ token, positionId }: LaunchedClanker) {
  const balance = (currency: Address) =>
    chain.client.readContract({ address: currency, abi: chain.deployment.abis.token, functionName: 'balanceOf', args: [OWNER] })
  const { weth } = chain.deployment
  const before = [await balance(weth), await balance(token)] as const
  const id = await chain.client.snapshot()
  await clanker.collect(alice, positionId)
  const after = [await balance(weth), await balance(token)] as const
  await chain.client.revert({ id })
  return { weth: String(after[0] - before[0]), token: String(after[1] - before[1]) }
}

function swap(token: Address, side: 'buy' | 'sell', amountIn: bigint) {
  return chain.mined(swapThroughRouter(chain, { from: alice, token, side, amountIn }))
}

/** Indexes what was mined and an empty block; that one as a commit tells of it, and of the tokens of all. */
async function indexAll(): Promise<CommittedBlock> {
  await chain.mine()
  const blocks = await index.indexEach(indexed + 1)
  const last = blocks.at(-1) ?? expect.unreachable()
  indexed = last.number
  return { ...last, tokens: blocks.flatMap(({ tokens }) => tokens) }
}
