import { type Context, type Event, ponder } from 'ponder:registry'
import { balance, candle, market, token, trade } from 'ponder:schema'

type Hex = `0x${string}`

const ZERO: Hex = '0x0000000000000000000000000000000000000000'
const INTERVALS = [60, 300, 900, 3_600, 14_400, 86_400]
const WETH = (process.env['WETH'] ?? '').toLowerCase()

ponder.on('Launchpad:TokenLaunched', async ({ event, context }) => {
  const { creator, symbol, name, metadataUri } = event.args
  const { timestamp, number } = event.block
  const launched = {
    creator,
    symbol,
    name,
    metadataUri,
    createdAt: timestamp,
    createdBlock: number,
  }
  // The creator's first buy precedes the announcement.
  await context.db
    .insert(token)
    .values({ address: event.args.token, ...launched, tradeCount: 0, volumeWei: 0n })
    .onConflictDoUpdate(launched)
})

ponder.on('Launchpad:Graduated', async ({ event, context }) => {
  const { pool } = event.args
  await context.db.insert(market).values({ address: pool, token: event.args.token }).onConflictDoNothing()
  await context.db.update(token, { address: event.args.token }).set({ pool })
})

ponder.on('Token:Transfer', async ({ event, context }) => {
  const { from, to, value } = event.args
  const move = (holder: Hex, delta: bigint) =>
    context.db
      .insert(balance)
      .values({ token: event.log.address, holder, balance: delta })
      .onConflictDoUpdate(row => ({ balance: row.balance + delta }))
  // The whole supply is minted to the curve before the first buy of the launch.
  if (from === ZERO) await context.db.insert(market).values({ address: to, token: event.log.address }).onConflictDoNothing()
  else await move(from, -value)
  if (to !== ZERO) await move(to, value)
})

ponder.on('Curve:Bought', async ({ event, context }) => {
  const { buyer, paidWei, feeWei, tokenAmount } = event.args
  await traded(event, context, { side: 'buy', maker: buyer, amountToken: tokenAmount, amountWei: paidWei, netWei: paidWei - feeWei })
})

ponder.on('Curve:Sold', async ({ event, context }) => {
  const { seller, receivedWei, feeWei, tokenAmount } = event.args
  await traded(event, context, {
    side: 'sell',
    maker: seller,
    amountToken: tokenAmount,
    amountWei: receivedWei,
    netWei: receivedWei + feeWei,
  })
})

ponder.on('Pool:Swap', async ({ event, context }) => {
  const known = await context.db.find(market, { address: event.log.address })
  if (known === null) return
  const { amount0, amount1 } = event.args
  const [tokens, wei] = known.token.toLowerCase() < WETH ? [amount0, amount1] : [amount1, amount0]
  const side = tokens < 0n ? 'buy' : 'sell'
  const amountWei = wei < 0n ? -wei : wei
  const swap = { side, maker: event.transaction.from, amountToken: tokens < 0n ? -tokens : tokens, amountWei, netWei: amountWei } as const
  await traded(event, context, swap)
})

interface Traded {
  readonly side: 'buy' | 'sell'
  readonly maker: Hex
  readonly amountToken: bigint
  readonly amountWei: bigint
  readonly netWei: bigint
}

async function traded(
  event: Event<'Curve:Bought' | 'Curve:Sold' | 'Pool:Swap'>,
  { db }: Context,
  { side, maker, amountToken, amountWei, netWei }: Traded,
): Promise<void> {
  const pool = event.log.address
  const known = await db.find(market, { address: pool })
  if (known === null) return
  const address = known.token
  const { number, timestamp } = event.block
  const { logIndex } = event.log
  const price = Number(netWei) / Number(amountToken)
  await db.insert(trade).values({
    id: `${number}-${logIndex}`,
    token: address,
    pool,
    side,
    maker,
    amountToken,
    amountWei,
    price,
    blockNumber: number,
    txHash: event.transaction.hash,
    logIndex,
    timestamp,
  })
  await db
    .insert(token)
    .values({
      address,
      creator: maker,
      symbol: '',
      name: '',
      metadataUri: '',
      createdAt: timestamp,
      createdBlock: number,
      price,
      tradeCount: 1,
      volumeWei: amountWei,
      lastTradeAt: timestamp,
    })
    .onConflictDoUpdate(row => ({ price, tradeCount: row.tradeCount + 1, volumeWei: row.volumeWei + amountWei, lastTradeAt: timestamp }))
  for (const intervalSeconds of INTERVALS) {
    const time = Number(timestamp) - (Number(timestamp) % intervalSeconds)
    await db
      .insert(candle)
      .values({
        token: address,
        intervalSeconds,
        time,
        open: price,
        high: price,
        low: price,
        close: price,
        volumeWei: amountWei,
        trades: 1,
      })
      .onConflictDoUpdate(row => ({
        high: Math.max(row.high, price),
        low: Math.min(row.low, price),
        close: price,
        volumeWei: row.volumeWei + amountWei,
        trades: row.trades + 1,
      }))
  }
}
