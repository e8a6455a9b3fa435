import {
  concat,
  encodeAbiParameters,
  encodeFunctionData,
  getContractAddress,
  type Hex,
  numberToHex,
  parseAbi,
  parseAbiParameters,
  parseEther,
  parseEventLogs,
} from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { transfer, wrap } from '#devchain/actions.ts'
import { createRandom } from '#devchain/traders/random.ts'
import { poolIdOf, type V4PoolKey } from '#devchain/v4Actions.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import { formatDecimal, formatUnits } from '#domain/decimal.ts'
import { priceFromSqrt } from '#launchpads/pools/uniswapV3.ts'
import { createAdapters } from '#launchpads/registry.ts'
import { createReads } from '#store/reads/reads.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { compileSolidity } from '#test/support/compileSolidity.ts'
import { useDatabase } from '#test/support/database.ts'
import { deployContract } from '#test/support/deployContract.ts'
import { countedChain, expectEarlyAsCounted } from '#test/support/earlyOnChain.ts'
import { foundBySurface } from '#test/support/foundBySurface.ts'
import { dumpTables, openChainIndex } from '#test/support/indexChain.ts'
import { startSync } from '#test/support/startSync.ts'
import { createTokenWatcher, withoutReorgs } from '#test/support/tokenWatcher.ts'
import { deployHook, deployPoolManager, readV4Pool } from '#test/support/uniswapV4.ts'

// Coins in Uniswap v4 pools, in ETH, WETH, ZORA and coins, traded along paths by accounts and their routers.

const CONTRACTS = compileSolidity(new URL('../contracts/ZoraCoins.sol', import.meta.url), { viaIR: true })
const bytecodeOf = (name: string, types: string, args: readonly unknown[]) =>
  concat([CONTRACTS.get(name)?.bytecode ?? '0x', encodeAbiParameters(parseAbiParameters(types), args)])
const ABI = parseAbi([
  'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
  'function deploy(uint8 kind, address payoutRecipient, address currency, address hook, bytes32 salt) returns (address)',
  'function swap(PoolKey[] path, address currencyIn, uint256 amount) payable',
  'function poolKey() view returns (PoolKey)',
  'function payoutRecipient() view returns (address)',
  'function getClaimableAmount() view returns (uint256)',
  'function totalClaimed() view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function balanceOf(address) view returns (uint256)',
  'function approve(address spender, uint256 value) returns (bool)',
  'function setPayoutRecipient(address recipient)',
  'function setNameAndSymbol(string newName, string newSymbol)',
  'function setContractURI(string newURI)',
  'function tokenURI() view returns (string)',
  'function name() view returns (string)',
  'function symbol() view returns (string)',
  'function claimVesting()',
  'function migrateLiquidity(address newHook)',
  'event Swap(bytes32 indexed id, address indexed sender, int128 amount0, int128 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick, uint24 fee)',
])
/** AFTER_INITIALIZE and AFTER_SWAP. */
const PERMISSIONS = 0x1040n
const ACTIONS = 120
const REORG_DEPTH = 20
const MAX = 2n ** 256n - 1n

const followed = await useDatabase()
const backfilled = await useDatabase()
const synced = await useDatabase()
let chain: TestChain
let poolManager: Address
let factory: Address
let hook: Address
let newHook: Address
let legacyHook: Address
let trusted: Address
let untrusted: Address
let zora: Address
let launchpads: Parameters<typeof openChainIndex>[3]
const random = createRandom(15)
const watcher = createTokenWatcher()
/** The symbol of the creator coin as a watcher of a coin that is quoted in it knows it: before it is renamed, then, and after a reorg. */
const quoteSymbols: unknown[] = []

interface Coin {
  readonly name: string
  readonly kind: 0 | 1 | 2
  readonly token: Address
  readonly currency: Address
  /** What rewards are paid in: the end of the coin's path. */
  readonly paidIn: Address
  /** Accounts that do nothing else; the first is the creator. */
  readonly recipients: readonly Address[]
}
const coins = new Map<string, Coin>()
const coin = (name: string) => coins.get(name) ?? expect.unreachable()

const account = (index: number) => chain.accounts[index] ?? expect.unreachable()
const send = (from: Address, to: Address, data: Hex, value = 0n) =>
  chain.client.sendTransaction({ account: from, chain: null, to, data, value, gas: 9_000_000n })
type Getter = 'poolKey' | 'payoutRecipient' | 'getClaimableAmount' | 'totalClaimed' | 'totalSupply' | 'name' | 'symbol' | 'tokenURI'
const read = <Name extends Getter>(token: Address, functionName: Name) =>
  chain.client.readContract({ address: token, abi: ABI, functionName })
const balanceOf = (currency: Address, holder: Address) =>
  currency === ZERO_ADDRESS
    ? chain.client.getBalance({ address: holder })
    : chain.client.readContract({ address: currency, abi: ABI, functionName: 'balanceOf', args: [holder] })
const keyOf = async (token: Address): Promise<V4PoolKey> => {
  const { currency0, currency1, hooks, ...rest } = await read(token, 'poolKey')
  return { ...rest, currency0: toAddress(currency0), currency1: toAddress(currency1), hooks: toAddress(hooks) }
}

/** @param first whether the coin is to be its pool's first currency */
async function launch(
  name: string,
  kind: 0 | 1 | 2,
  { currency, through = hook, first }: { currency: Address; through?: Address; first: boolean },
) {
  const bytecode = bytecodeOf('ZoraCoin', 'uint8 kind, address currency', [kind, currency])
  let salt = numberToHex(0, { size: 32 })
  let token = currency
  for (let next = 1; ; next++) {
    token = toAddress(getContractAddress({ opcode: 'CREATE2', from: factory, salt, bytecode }))
    if (token < currency === first) break
    salt = numberToHex(next, { size: 32 })
  }
  const recipients = kind === 2 ? [ZERO_ADDRESS] : [1, 2].map(index => testRecipient(coins.size * 10 + index))
  const args = [kind, recipients[0] ?? ZERO_ADDRESS, currency, through, salt] as const
  await chain.mined(send(account(1), factory, encodeFunctionData({ abi: ABI, functionName: 'deploy', args })))
  const parent = [...coins.values()].find(one => one.token === currency)
  coins.set(name, { name, kind, token, currency, paidIn: parent?.paidIn ?? currency, recipients })
}

const testRecipient = (index: number) => toAddress(numberToHex(0xc01_0000n + BigInt(index), { size: 20 }))
const traders = () => [account(2), account(3), account(4)]

/** Each coin with the path to it from what traders hold. */
const pathTo = (one: Coin): readonly Coin[] => {
  const parent = [...coins.values()].find(({ token }) => token === one.currency)
  return parent === undefined ? [one] : [...pathTo(parent), one]
}

async function trade() {
  const one = coin(random.pick([...coins.keys()]))
  const trader = random.pick(traders())
  const router = random.pick([trusted, untrusted])
  const path = pathTo(one)
  const keys = await Promise.all(path.map(({ token }) => keyOf(token)))
  const held = await balanceOf(one.token, trader)
  if (held > 0n && random.chance(0.4)) {
    const amount = (held * BigInt(random.integer(1, 50))) / 100n
    const args = [keys.toReversed(), one.token, amount] as const
    return chain.mined(send(trader, router, encodeFunctionData({ abi: ABI, functionName: 'swap', args })))
  }
  const currency = path[0]?.currency ?? expect.unreachable()
  const amount = BigInt(Math.round(random.spread(1e13, 3e15)))
  const data = encodeFunctionData({ abi: ABI, functionName: 'swap', args: [keys, currency, amount] })
  return chain.mined(send(trader, router, data, currency === ZERO_ADDRESS ? amount : 0n))
}

async function act() {
  const call = (name: string, data: Hex) => chain.mined(send(account(5), coin(name).token, data))
  switch (random.weighted([20, 2, 2, 2, 1, 1])) {
    case 0:
      return trade()
    case 1: {
      const { token } = coin(random.pick([...coins.keys()]))
      const amount = (await balanceOf(token, account(2))) / 10n
      return chain.mined(transfer(chain, { from: account(2), currency: token, to: random.pick([account(6), account(3)]), amount }))
    }
    case 2: {
      const { name, recipients } = coin(random.pick(['creator', 'content', 'ether', 'wrapped', 'legacy']))
      return call(name, encodeFunctionData({ abi: ABI, functionName: 'setPayoutRecipient', args: [random.pick(recipients)] }))
    }
    case 3:
      return call(random.pick(['creator', 'legacy']), encodeFunctionData({ abi: ABI, functionName: 'claimVesting' }))
    case 4: {
      const args = [random.pick(['ipfs://content', `ipfs://other-${random.integer(0, 9)}`])] as const
      return call(random.pick([...coins.keys()]), encodeFunctionData({ abi: ABI, functionName: 'setContractURI', args }))
    }
    default: {
      const args = [`Name ${random.integer(0, 99)}`, `SYM${random.integer(0, 99)}`] as const
      return call(random.pick([...coins.keys()]), encodeFunctionData({ abi: ABI, functionName: 'setNameAndSymbol', args }))
    }
  }
}

beforeAll(async () => {
  chain = await startTestChain()
  const { weth, startBlock } = chain.deployment
  poolManager = await deployPoolManager(chain)
  factory = await deployContract(chain, CONTRACTS.get('ZoraFactory'), [poolManager])
  trusted = await deployContract(chain, CONTRACTS.get('PathRouter'), [poolManager])
  untrusted = await deployContract(chain, CONTRACTS.get('PathRouter'), [poolManager])
  zora = await deployContract(chain, CONTRACTS.get('LaunchToken'), ['Zora', 'ZORA', account(0)])
  const deployed: Address[] = []
  // Other arguments give the second hook another address.
  for (const [believed, legacy] of [
    [trusted, false],
    [untrusted, false],
    [trusted, true],
  ]) {
    const bytecode = bytecodeOf('CoinHook', 'address, address, address, bool', [poolManager, factory, believed, legacy])
    deployed.push(await deployHook(chain, bytecode, PERMISSIONS))
  }
  ;[hook, newHook, legacyHook] = deployed as [Address, Address, Address]
  for (const trader of traders()) {
    await chain.mined(wrap(chain, { from: trader, amountWei: parseEther('5') }))
    await chain.mined(transfer(chain, { from: account(0), currency: zora, to: trader, amount: parseEther('100') }))
  }
  launchpads = [{ name: 'zora', adapter: 'zora-coins', startBlock, contracts: { factory, poolManager } }]
  const live = await startSync(chain, followed, { urls: [chain.anvil.url], launchpads: launchpads ?? [], maxReorgDepth: 128 })
  live.sync.blocks.subscribe(watcher.take)

  await launch('creator', 1, { currency: zora, first: true })
  await launch('legacy', 1, { currency: zora, first: false, through: legacyHook })
  await launch('content', 0, { currency: coin('creator').token, first: false })
  await launch('second', 0, { currency: coin('creator').token, first: true })
  await launch('trend', 2, { currency: zora, first: true })
  await launch('ether', 0, { currency: ZERO_ADDRESS, first: false })
  await launch('wrapped', 0, { currency: weth, first: true })
  const currencies = [zora, weth, ...[...coins.values()].map(({ token }) => token)]
  for (const trader of traders()) {
    for (const router of [trusted, untrusted]) {
      const data = encodeFunctionData({ abi: ABI, functionName: 'approve', args: [router, MAX] })
      for (const currency of currencies) await send(trader, currency, data)
    }
  }
  await chain.mine()
  for (let count = 0; count < ACTIONS; count++) {
    if (count === 60) await chain.reorg(REORG_DEPTH)
    if (count === 80) {
      const data = encodeFunctionData({ abi: ABI, functionName: 'migrateLiquidity', args: [newHook] })
      await chain.mined(send(account(5), coin('ether').token, data))
      await chain.mined(send(account(5), coin('creator').token, data))
    }
    await act()
  }
  const quoteSymbol = async () => {
    await live.reached((await chain.client.getBlock()).hash)
    quoteSymbols.push(watcher.held.get(coin('content').token)?.token.pool?.quoteSymbol)
  }
  await quoteSymbol()
  const renamed = encodeFunctionData({ abi: ABI, functionName: 'setNameAndSymbol', args: ['Renamed', 'RENAMED'] })
  await chain.mined(send(account(5), coin('creator').token, renamed))
  await quoteSymbol()
  await chain.reorg(1)
  await quoteSymbol()
  await live.stop()
})
afterAll(() => chain?.stop())

const openReads = () => {
  const { chainId, weth } = chain.deployment
  const [adapter] = createAdapters({ weth, launchpads: launchpads ?? [] })
  return createReads({
    db: followed.kysely,
    chainId,
    weth,
    claimCall: ({ launchpad: _, ...target }) => adapter?.claimCall(target) ?? null,
    vestedOf: ({ launchpad: _, ...times }) => adapter?.vestedOf?.(times) ?? null,
  })
}
const NAMES = ['creator', 'legacy', 'content', 'second', 'trend', 'ether', 'wrapped']

describe('zora-coins in Uniswap v4', () => {
  it('gives the same tables when a service fetches the whole chain in ranges as live through a reorg', async () => {
    const sync = await startSync(chain, synced, { urls: [chain.anvil.url], launchpads: launchpads ?? [], maxReorgDepth: 0 })
    const { hash } = await chain.client.getBlock()
    await sync.reached(hash)
    await sync.stop()
    expect(await dumpTables(synced.kysely)).toEqual(await dumpTables(followed.kysely))
  })

  it('finds the coins of the front end that is their platform referrer', async () => {
    const referred = NAMES.filter(name => name !== 'trend').map(name => coin(name).token)
    expect(await foundBySurface(openReads(), `0x${'0'.repeat(39)}1`)).toEqual(referred.toSorted())
  })

  it('has the early wallets that a count over the logs gives', async () => {
    await expectEarlyAsCounted(followed.kysely, await countedChain(chain))
  })

  it('gives the same tables for ranges, with a restart between, as live through a reorg', async () => {
    await (await openChainIndex(chain, backfilled, null, launchpads)).indexRange(1, 60)
    await (await openChainIndex(chain, backfilled, null, launchpads)).indexRange(61)
    const tables = await dumpTables(followed.kysely)
    expect(await dumpTables(backfilled.kysely)).toEqual(tables)
    expect(tables['trade']?.length).toBeGreaterThan(150)
  })

  // A coin's new symbol never reached the coins that are paired with it, in a running index.
  it('tells watchers all that is shown, also when the coin is renamed in which another one is quoted', async () => {
    const states = await readSnapshots(followed.kysely, { chainId: chain.deployment.chainId, addresses: [...watcher.held.keys()] })
    expect(states.length).toBe(NAMES.length)
    expect(states.map(({ token }) => withoutReorgs(watcher.held.get(token.address)))).toEqual(states.map(withoutReorgs))
    const symbol = await read(coin('creator').token, 'symbol')
    expect(quoteSymbols).toEqual([symbol, 'RENAMED', symbol])
  })

  it.each(NAMES)('agrees with the chain on price, pool, supply and holders (%s)', async name => {
    const { token, kind, currency, recipients } = coin(name)
    const key = await keyOf(token)
    const id = poolIdOf(key)
    const { sqrt, tick, liquidity } = await readV4Pool(chain, poolManager, id)
    const inEther = currency === ZERO_ADDRESS || currency === chain.deployment.weth
    const price = inEther ? priceFromSqrt(sqrt, { tokenIsToken0: token < currency }, 18) : null
    const supply = await read(token, 'totalSupply')
    const reads = openReads()
    expect(await reads.token({ address: token })).toMatchObject({
      launchpad: 'zora',
      name: await read(token, 'name'),
      symbol: await read(token, 'symbol'),
      creator: kind === 2 ? account(1) : recipients[0],
      totalSupply: String(supply),
      metadataUri: await read(token, 'tokenURI'),
      market: { priceWeth: price === null ? null : formatDecimal(price) },
      pool: {
        address: id,
        type: 'uniswap-v4',
        quoteToken: currency,
        feeBps: 100,
        sqrtPriceX96: String(sqrt),
        tick,
        liquidity: String(liquidity),
      },
      graduation: { status: 'none' },
    })
    const holders = (await reads.holders({ address: token, limit: 100, excludeType: [] }))?.data ?? []
    for (const { address, balance } of holders) expect(balance).toBe(String(await balanceOf(token, address)))
    expect(holders.reduce((sum, { balance }) => sum + BigInt(balance), 0n)).toBe(supply)
    const types = new Map(holders.map(({ address, type }) => [address, type]))
    expect(types.get(poolManager)).toBe('pool')
    expect(types.get(hook) ?? 'contract').toBe('contract')
    // A creator coin keeps what has not vested, which does not circulate.
    expect(types.get(token)).toBe(kind === 1 ? 'locker' : undefined)
    const unvested = kind === 1 ? await balanceOf(token, token) : 0n
    expect(await reads.supply(token)).toMatchObject({ total: supply, locked: unvested })
  })

  it('agrees with the PoolManager on what the pools of a currency hold together', async () => {
    const reads = openReads()
    const inZora = NAMES.filter(name => coin(name).currency === zora)
    const pools = await Promise.all(inZora.map(async name => (await reads.token({ address: coin(name).token }))?.pool))
    const held = pools.reduce((sum, pool) => sum + Number(pool?.reserveQuote ?? Number.NaN), 0)
    // Fees are collected at every swap, but for those of the hooks' own swaps.
    expect(Number(await balanceOf(zora, poolManager)) / held).toBeCloseTo(1, 2)
  })

  it.each(NAMES)('has every swap as a trade of the account that sent it (%s)', async name => {
    const { token, currency } = coin(name)
    const ids = [poolIdOf(await keyOf(token))]
    if (['creator', 'ether'].includes(name)) ids.push(poolIdOf({ ...(await keyOf(token)), hooks: hook }))
    const logs = parseEventLogs({ abi: ABI, eventName: 'Swap', logs: await chain.client.getLogs({ address: poolManager, fromBlock: 1n }) })
    const inEther = currency === ZERO_ADDRESS || currency === chain.deployment.weth
    const expected = []
    for (const { args, transactionHash, logIndex } of logs) {
      if (!ids.includes(args.id)) continue
      const { from } = await chain.client.getTransaction({ hash: transactionHash })
      const [ofToken, ofQuote] = token < currency ? [args.amount0, args.amount1] : [args.amount1, args.amount0]
      const abs = (value: bigint) => (value < 0n ? -value : value)
      expected.push({
        txHash: transactionHash,
        logIndex,
        pool: args.id,
        side: ofToken > 0n ? 'buy' : 'sell',
        maker: toAddress(from),
        amountToken: String(abs(ofToken)),
        amountWeth: inEther ? formatUnits(abs(ofQuote), 18) : null,
      })
    }
    expect(expected.length).toBeGreaterThan(3)
    const trades = []
    for (let cursor: { readonly blockNumber: number; readonly logIndex: number } | undefined; ; ) {
      const page = await openReads().trades({ address: token, limit: 100, order: 'asc', ...(cursor !== undefined && { cursor }) })
      trades.push(...(page?.data ?? []))
      const last = page?.data.at(-1)
      if (last === undefined || (page?.data.length ?? 0) < 100) break
      cursor = { blockNumber: Number(last.blockNumber), logIndex: last.logIndex }
    }
    expect(trades).toMatchObject(expected)
  })

  it.each(NAMES)('has what payout recipients were paid, and what vests to them (%s)', async name => {
    const { token, kind, paidIn, recipients } = coin(name)
    const reads = openReads()
    const inEther = paidIn === ZERO_ADDRESS || paidIn === chain.deployment.weth
    let total = 0n
    let inCoin = 0n
    const head = await chain.client.getBlockNumber()
    const current = toAddress(await read(token, 'payoutRecipient'))
    for (const recipient of kind === 2 ? [] : recipients) {
      const paid = await balanceOf(paidIn, recipient)
      total += paid
      const { claimable = [] } = (await reads.claimable({ address: token, creator: recipient })) ?? {}
      const rewards = claimable.filter(({ currency }) => currency === paidIn)
      expect(rewards).toMatchObject(
        paid === 0n ? [] : [{ accrued: String(paid), claimed: String(paid), amount: '0', scope: 'token', claim: null }],
      )
      const inCoins = claimable.find(({ currency }) => currency === token)
      // Rewards in the coin itself, and what was claimed of a creator coin. A content coin's creator gets some at the launch besides.
      const received = (await balanceOf(token, recipient)) - (kind === 0 && recipient === recipients[0] ? parseEther('10000000') : 0n)
      expect(inCoins?.claimed ?? '0').toBe(String(received))
      inCoin += received
      if (kind === 1 && recipient === current) {
        const amount = await chain.client.readContract({ address: token, abi: ABI, functionName: 'getClaimableAmount', blockNumber: head })
        const data = encodeFunctionData({ abi: ABI, functionName: 'claimVesting' })
        expect(inCoins).toMatchObject({ amount: String(amount), claim: amount === 0n ? null : { to: token, data } })
      } else if (inCoins !== undefined) expect(inCoins).toMatchObject({ accrued: String(received), amount: '0', claim: null })
    }
    if (name === 'creator') expect(inCoin).toBeGreaterThan(await read(token, 'totalClaimed'))
    const weth = formatUnits(total, 18)
    const fees = (await reads.token({ address: token }))?.fees
    expect(fees).toMatchObject(inEther ? { accruedWeth: weth, claimedWeth: weth } : { accruedWeth: null, claimedWeth: null })
    expect(total > 0n || kind === 2).toBe(true)
  })
})
