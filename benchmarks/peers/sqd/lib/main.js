const { EvmBatchProcessor } = require('@subsquid/evm-processor')
const { createOrmConfig } = require('@subsquid/typeorm-config')
const { TypeormDatabase } = require('@subsquid/typeorm-store')
const { DataSource } = require('typeorm')
const events = require('./events')
const { Token } = require('./model')
const { Projection } = require('./projection')

const ZERO = '0x0000000000000000000000000000000000000000'
const INTERVALS = [60, 300, 900, 3_600, 14_400, 86_400]
const { RPC_URL, LAUNCHPAD = '', WETH = '', START_BLOCK } = process.env
const [LAUNCHPAD_ADDRESS, WETH_ADDRESS] = [LAUNCHPAD.toLowerCase(), WETH.toLowerCase()]

const processor = new EvmBatchProcessor()
  // The default capacity of 10 requests at once, without a limit of their rate.
  .setRpcEndpoint({ url: RPC_URL, capacity: 10, maxBatchCallSize: 100 })
  .setFinalityConfirmation(5)
  .setBlockRange({ from: Number(START_BLOCK) })
  .setFields({ block: { timestamp: true }, log: { transactionHash: true } })
  // By their topics alone, as its documentation says for contracts that a factory creates: the handler drops those of others.
  .addLog({ topic0: Object.values(events).map(({ topic }) => topic) })

async function start() {
  const source = new DataSource(createOrmConfig())
  await source.initialize()
  await source.synchronize()
  await source.destroy()
  processor.run(new TypeormDatabase({ supportHotBlocks: true }), handle)
}

/** Of all tokens that were launched, in this process or an earlier one; `null`: not read yet. */
let launched = null

async function handle({ blocks, store }) {
  launched ??= new Set((await store.find(Token)).map(({ id }) => id))
  const found = blocks.flatMap(({ header, logs: ofBlock }) => ofBlock.flatMap(log => decode(log, header)))
  // A token's first transfers precede its launch, in the same transaction. The topic of transfers is that of any contract.
  for (const { kind, args } of found) if (kind === 'launched') launched.add(args.token)
  const logs = found.filter(({ kind, address }) => kind !== 'transfer' || launched.has(address))
  const projection = new Projection()
  await load(projection, logs, store)
  for (const log of logs) HANDLERS[log.kind](projection, log)
  await projection.write(store)
}

function decode(log, { height, timestamp }) {
  for (const [kind, event] of Object.entries(events)) {
    if (!event.is(log)) continue
    if ((kind === 'launched' || kind === 'graduated') && log.address !== LAUNCHPAD_ADDRESS) return []
    const at = { address: log.address, blockNumber: height, timestamp: Math.floor(timestamp / 1_000), logIndex: log.logIndex }
    return [{ kind, ...at, txHash: log.transactionHash, args: event.decode(log) }]
  }
  return []
}

/** Everything that the logs may change, entity by entity. */
async function load(projection, logs, store) {
  const ofKind = (...kinds) => logs.filter(({ kind }) => kinds.includes(kind))
  const minted = new Map(ofKind('transfer').flatMap(({ args, address }) => (args.from === ZERO ? [[args.to, address]] : [])))
  const graduated = new Map(ofKind('graduated').map(({ args }) => [args.pool, args.token]))
  const traded = ofKind('bought', 'sold', 'swap')
  await projection.markets.load(
    store,
    traded.map(({ address }) => address),
  )
  const tokenOf = pool => projection.markets.get(pool)?.token ?? minted.get(pool) ?? graduated.get(pool)
  await projection.tokens.load(
    store,
    logs.flatMap(({ kind, args, address }) => (kind === 'launched' || kind === 'graduated' ? [args.token] : (tokenOf(address) ?? []))),
  )
  await projection.balances.load(
    store,
    ofKind('transfer').flatMap(({ args: { from, to }, address }) => [`${address}-${from}`, `${address}-${to}`]),
  )
  await projection.candles.load(
    store,
    traded.flatMap(({ address, timestamp }) => INTERVALS.map(seconds => candleId(tokenOf(address), seconds, timestamp))),
  )
}

const HANDLERS = {
  launched: ({ tokens }, { args: { token, creator, symbol, name, metadataUri }, blockNumber: createdBlock, timestamp: createdAt }) => {
    // The creator's first buy precedes the announcement.
    Object.assign(tokens.change(token, NEW_TOKEN), { creator, symbol, name, metadataUri, createdAt, createdBlock })
  },
  graduated: ({ tokens, markets }, { args: { token, pool } }) => {
    markets.change(pool, { token })
    if (tokens.get(token) !== undefined) tokens.change(token).pool = pool
  },
  transfer: ({ balances, markets }, { args: { from, to, value }, address: token }) => {
    const move = (holder, delta) => {
      balances.change(`${token}-${holder}`, { token, holder, balance: 0n }).balance += delta
    }
    // The whole supply is minted to the curve before the first buy of the launch.
    if (from === ZERO) markets.change(to, { token })
    else move(from, -value)
    if (to !== ZERO) move(to, value)
  },
  bought: (projection, log) => {
    const { buyer: maker, paidWei: amountWei, feeWei, tokenAmount: amountToken } = log.args
    traded(projection, log, { side: 'buy', maker, amountToken, amountWei, netWei: amountWei - feeWei })
  },
  sold: (projection, log) => {
    const { seller: maker, receivedWei: amountWei, feeWei, tokenAmount: amountToken } = log.args
    traded(projection, log, { side: 'sell', maker, amountToken, amountWei, netWei: amountWei + feeWei })
  },
  swap: (projection, log) => {
    const { amount0, amount1, recipient: maker } = log.args
    const token = projection.markets.get(log.address)?.token
    if (token === undefined) return
    const [tokens, wei] = token < WETH_ADDRESS ? [amount0, amount1] : [amount1, amount0]
    const [amountToken, amountWei] = [tokens < 0n ? -tokens : tokens, wei < 0n ? -wei : wei]
    traded(projection, log, { side: tokens < 0n ? 'buy' : 'sell', maker, amountToken, amountWei, netWei: amountWei })
  },
}

const NEW_TOKEN = { creator: ZERO, symbol: '', name: '', metadataUri: '', tradeCount: 0, volumeWei: 0n }

function traded(projection, { address: pool, blockNumber, logIndex, timestamp, txHash }, { side, maker, amountToken, amountWei, netWei }) {
  const token = projection.markets.get(pool)?.token
  if (token === undefined) return
  const price = Number(netWei) / Number(amountToken)
  const id = `${blockNumber}-${logIndex}`
  projection.addTrade({ id, token, pool, side, maker, amountToken, amountWei, price, blockNumber, txHash, logIndex, timestamp })
  const row = projection.tokens.change(token, { ...NEW_TOKEN, createdAt: timestamp, createdBlock: blockNumber })
  Object.assign(row, { price, tradeCount: row.tradeCount + 1, volumeWei: row.volumeWei + amountWei, lastTradeAt: timestamp })
  for (const intervalSeconds of INTERVALS) {
    const time = timestamp - (timestamp % intervalSeconds)
    const opened = { token, intervalSeconds, time, open: price, high: price, low: price, volumeWei: 0n, trades: 0 }
    const candle = projection.candles.change(candleId(token, intervalSeconds, timestamp), opened)
    candle.high = Math.max(candle.high, price)
    candle.low = Math.min(candle.low, price)
    candle.close = price
    candle.volumeWei += amountWei
    candle.trades++
  }
}

function candleId(token, intervalSeconds, timestamp) {
  return `${token}-${intervalSeconds}-${timestamp - (timestamp % intervalSeconds)}`
}

void start()
