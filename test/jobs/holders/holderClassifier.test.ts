import { readFileSync } from 'node:fs'
import { sql } from 'kysely'
import solc from 'solc'
import { parseEther } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { buyOnCurve, type Launched, launch, readLaunched, transfer } from '#devchain/actions.ts'
import { compiledOnce } from '#devchain/compiledOnce.ts'
import type { Address } from '#domain/address.ts'
import {
  createHolderClassifier,
  fetchHolderCodes,
  HOLDER_CODES,
  type HolderClassifier,
  MAX_HOLDERS_PER_CALL,
} from '#jobs/holderClassifier.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import type { RpcProvider } from '#rpc/provider.ts'
import { createRpc, type Rpc } from '#rpc/rpc.ts'
import { RpcError, type RpcFault } from '#rpc/rpcFault.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { createTransaction, type Transaction } from '#store/connection/transaction.ts'
import { readHolders } from '#store/reads/holders.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { silentLogger, useDatabase } from '#test/support/database.ts'
import { type ChainIndex, openChainIndex } from '#test/support/indexChain.ts'
import { testAddress } from '#test/support/simulatedChain.ts'

const VAULT = testAddress(0xc0de)
const DELEGATED = testAddress(0x7702)
const NOBODY = testAddress(0xb0b)

const database = await useDatabase()
let chain: TestChain
let rpc: Rpc
let index: ChainIndex
let token: Launched
let other: Launched
let creator: Address
let alice: Address
let indexed = 0

describe('the question', () => {
  it('is the compiled HolderCodes.yul', () => {
    const source = readFileSync(new URL('../../../src/jobs/holders/HolderCodes.yul', import.meta.url), 'utf8')
    const settings = {
      evmVersion: 'london',
      optimizer: { enabled: true, runs: 1, details: { yul: true } },
      outputSelection: { '*': { '*': ['evm.bytecode.object'] } },
    }
    const input = { language: 'Yul', sources: { 'HolderCodes.yul': { content: source } }, settings }
    const text = JSON.stringify(input)
    const output = JSON.parse(compiledOnce([text], () => String(solc.compile(text)))) as {
      readonly contracts: Record<string, Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>>
    }
    expect(`0x${output.contracts['HolderCodes.yul']?.['HolderCodes']?.evm.bytecode.object}`).toBe(HOLDER_CODES)
  })

  it('tells contracts from accounts, those that delegated to code included, at the block', async () => {
    const block = await indexAll()
    const late = testAddress(0x1a7e)
    await chain.client.setCode({ address: late, bytecode: '0x6000' })
    const holders = [alice, VAULT, DELEGATED, NOBODY, chain.deployment.weth, token.curve]
    expect(await fetchHolderCodes(rpc, { holders, block })).toEqual([false, true, false, false, true, true])
    const many = Array.from({ length: MAX_HOLDERS_PER_CALL }, (_, position) => (position % 7 === 3 ? VAULT : testAddress(position)))
    expect(await fetchHolderCodes(rpc, { holders: many, block })).toEqual(many.map(holder => holder === VAULT))
  })

  it.each([
    ['too few bytes', '0x00'],
    ['another byte', '0x0002'],
    ['no bytes', null],
  ])('does not believe %s', async (_, answer) => {
    const block = await indexAll()
    const ask: Rpc['ask'] = question =>
      rpc.ask(provider => question({ ...provider, calls: async calls => [answer, ...(await provider.calls(calls)).slice(1)] }))
    await expect(fetchHolderCodes({ ask }, { holders: [alice, VAULT], block })).rejects.toThrow('not a byte for each of 2 addresses')
  })
})

beforeAll(async () => {
  chain = await startTestChain()
  ;[, creator, alice] = chain.accounts as [Address, Address, Address]
  rpc = createRpc({ urls: [chain.anvil.url], chainId: null, logger: silentLogger })
  await chain.client.setCode({ address: VAULT, bytecode: '0x00' })
  await chain.client.setCode({ address: DELEGATED, bytecode: `0xef0100${VAULT.slice(2)}` })
  token = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'A', symbol: 'A' })))
  other = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'B', symbol: 'B' })))
  for (const { curve } of [token, other]) await chain.mined(buyOnCurve(chain, { from: alice, curve, paidWei: parseEther('0.1') }))
  for (const to of [VAULT, DELEGATED, NOBODY]) await give(token, to)
  await give(other, VAULT)
  index = await openChainIndex(chain, database)
})
afterAll(async () => {
  rpc?.close()
})
beforeEach(async () => {
  await sql`truncate holder_code`.execute(database.kysely)
  await sql`update balance set type = 'wallet' where type = 'contract'`.execute(database.kysely)
})

describe('holders that are contracts', () => {
  it('get their type, with a higher sequence and a commit that is told', async () => {
    const block = await indexAll()
    const before = await sequenceOf(token)
    const one = classifier()
    await classify(one, block)
    const types = await typesOf(token)
    expect(Object.fromEntries([VAULT, DELEGATED, NOBODY, alice, token.curve].map(holder => [holder, types.get(holder)]))).toEqual({
      [VAULT]: 'contract',
      [DELEGATED]: 'wallet',
      [NOBODY]: 'wallet',
      [alice]: 'wallet',
      [token.curve]: 'curve',
    })
    expect(await sequenceOf(token)).toBeGreaterThan(before)
    expect(one.told).toMatchObject([{ number: block.number, hash: block.hash, tokens: [], dropped: [] }])
    expect(new Set(one.told[0]?.unread)).toEqual(new Set([token.token, other.token]))
    expect(one.questions()).toBe(1)
  })

  it('keep it when they receive more, and are asked for once', async () => {
    const one = classifier()
    await classify(one, await indexAll())
    const told = one.told.length
    await give(token, VAULT)
    const block = await indexAll()
    expect((await typesOf(token)).get(VAULT)).toBe('contract')
    await classify(one, block)
    expect((await typesOf(token)).get(VAULT)).toBe('contract')
    expect(one.questions()).toBe(1)
    expect(one.told.length).toBe(told)
  })

  it('are found for tokens without subscribers, and for those of before a start', async () => {
    const block = await indexAll()
    await classify(classifier(), { ...block, tokens: [], unread: [] })
    expect((await typesOf(token)).get(VAULT)).toBe('contract')
    expect((await typesOf(other)).get(VAULT)).toBe('contract')

    const one = classifier()
    await classify(one, await indexAll())
    const third = readLaunched(await chain.mined(launch(chain, { from: creator, name: 'C', symbol: 'C' })))
    await chain.mined(buyOnCurve(chain, { from: alice, curve: third.curve, paidWei: parseEther('0.1') }))
    await give(third, VAULT)
    const later = await indexAll()
    await classify(one, { ...later, tokens: [], unread: [third.token] })
    expect((await typesOf(third)).get(VAULT)).toBe('contract')
    expect(one.told.at(-1)?.unread).toEqual([third.token])
  })

  it('are told of when the outcome of their commit was unknown', async () => {
    let lost = 0
    const around =
      (transaction: Transaction): Transaction =>
      async work => {
        const result = await transaction(work)
        lost += 1
        if (lost === 1) throw new Error('the connection was lost after the commit')
        return result
      }
    const one = classifier({ around })
    await classify(one, await indexAll())
    const sequence = await sequenceOf(token)
    expect((await typesOf(token)).get(VAULT)).toBe('contract')
    expect(one.told).toEqual([])
    await classify(one, { ...(await indexAll()), tokens: [] })
    expect(one.told.flatMap(({ unread }) => unread)).toContain(token.token)
    expect(await sequenceOf(token)).toBe(sequence)
  })

  it('are asked for anew when a reorg took the block meanwhile', async () => {
    const block = await indexAll()
    const forget: { hash: CommittedBlock['hash'] | null } = { hash: block.hash }
    const around =
      (transaction: Transaction): Transaction =>
      work =>
        transaction(async db => {
          if (forget.hash !== null) await replaceHash(db, block.number)
          forget.hash = null
          return work(db)
        })
    const one = classifier({ around })
    await classify(one, block)
    expect(one.told).toEqual([])
    expect((await sql`select from holder_code`.execute(database.kysely)).rows).toEqual([])
    await restoreHash(database.kysely, block)
    await classify(one, { ...(await indexAll()), tokens: [] })
    expect((await typesOf(token)).get(VAULT)).toBe('contract')
  })

  it('stay wallets where no code is run for us, which is asked ever less often', async () => {
    const one = classifier({ fault: () => ({ kind: 'rejected', code: -32_000, text: 'contract creation is not supported' }) })
    for (let count = 0; count < 20; count += 1) await classify(one, await indexAll())
    expect((await typesOf(token)).get(VAULT)).toBe('wallet')
    // After blocks 1, 2, 4, 8 and 16 of these.
    expect(one.questions()).toBe(5)
  })

  it('are found after a lost question', async () => {
    const one = classifier({ fault: question => (question <= 6 ? { kind: 'timeout' } : null) })
    for (let count = 0; count < 20 && one.told.length === 0; count += 1) await classify(one, await indexAll())
    expect((await typesOf(token)).get(VAULT)).toBe('contract')
  })
})

async function replaceHash(db: Queryable, number: number): Promise<void> {
  await sql`update block set hash = sha256(hash) where number = ${number}`.execute(db)
}

async function restoreHash(db: Queryable, { number, hash }: Pick<CommittedBlock, 'number' | 'hash'>): Promise<void> {
  await sql`update block set hash = ${Buffer.from(hash.slice(2), 'hex')} where number = ${number}`.execute(db)
}

/** Indexes what was mined, at least an empty block; the last commit, and the tokens of all. */
async function indexAll(): Promise<CommittedBlock> {
  await chain.mine()
  const blocks = await index.indexEach(indexed + 1)
  const last = blocks.at(-1) ?? expect.unreachable()
  indexed = last.number
  return { ...last, tokens: blocks.flatMap(({ tokens }) => tokens) }
}

interface Watched extends HolderClassifier {
  /** What a provider was asked to run, whether it did or not. */
  readonly questions: () => number
  readonly told: readonly CommittedBlock[]
}

function classifier({
  fault = () => null,
  around = transaction => transaction,
}: {
  readonly fault?: (question: number) => RpcFault | null
  readonly around?: (transaction: Transaction) => Transaction
} = {}): Watched {
  let questions = 0
  const refusing = (provider: RpcProvider): RpcProvider => ({
    ...provider,
    calls: async calls => {
      questions += 1
      const thrown = fault(questions)
      if (thrown !== null) throw new RpcError(thrown, provider.name)
      return provider.calls(calls)
    },
  })
  const made = createHolderClassifier({
    rpc: { ask: question => rpc.ask(provider => question(refusing(provider))) },
    db: database.kysely,
    transaction: around(createTransaction(database.orm)),
    writer: index.writer,
    isBehind: () => false,
    now: () => performance.now(),
    logger: silentLogger,
  })
  const told: CommittedBlock[] = []
  made.updates.subscribe(block => told.push(block))
  return { ...made, questions: () => questions, told }
}

async function classify(one: HolderClassifier, block: Pick<CommittedBlock, 'number' | 'hash' | 'tokens' | 'unread'>): Promise<void> {
  one.committed(block)
  await one.settled()
}

async function typesOf({ token: address }: Launched): Promise<ReadonlyMap<Address, string>> {
  const page = await readHolders(database.kysely, { address: address, excludeType: [], limit: 50 })
  return new Map(page?.data.map(holder => [holder.address, holder.type]))
}

async function sequenceOf({ token: address }: Launched): Promise<number> {
  const [snapshot] = await readSnapshots(database.kysely, { chainId: 1, addresses: [address] })
  return snapshot?.token.sequence ?? expect.unreachable()
}

function give({ token: currency }: Launched, to: Address) {
  return chain.mined(transfer(chain, { from: alice, currency, to, amount: 1_000n }))
}
