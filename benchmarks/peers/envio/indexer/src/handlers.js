const { Coin, Curve, Launchpad, Pool } = require('generated')

const ZERO = '0x0000000000000000000000000000000000000000'
const INTERVALS = [60, 300, 900, 3_600, 14_400, 86_400]
const WETH = (process.env['ENVIO_WETH'] ?? '').toLowerCase()

Launchpad.TokenLaunched.contractRegister(({ event, context }) => {
  context.addCoin(event.params.token)
  context.addCurve(event.params.curve)
})

Launchpad.Graduated.contractRegister(({ event, context }) => context.addPool(event.params.pool))

Launchpad.TokenLaunched.handler(async ({ event, context }) => {
  const { token, creator, symbol, name, metadataUri } = event.params
  const { timestamp: createdAt, number: createdBlock } = event.block
  // The creator's first buy precedes the announcement.
  const known = await context.Token.getOrCreate(emptyToken(token, event))
  context.Token.set({ ...known, creator, symbol, name, metadataUri, createdAt, createdBlock })
})

Launchpad.Graduated.handler(async ({ event, context }) => {
  const { token, pool } = event.params
  context.Market.set({ id: pool, token })
  const known = await context.Token.get(token)
  if (known !== undefined) context.Token.set({ ...known, pool })
})

Coin.Transfer.handler(async ({ event, context }) => {
  const { from, to, value } = event.params
  const token = event.srcAddress
  const move = async (holder, delta) => {
    const known = await context.Balance.getOrCreate({ id: `${token}-${holder}`, token, holder, balance: 0n })
    context.Balance.set({ ...known, balance: known.balance + delta })
  }
  // The whole supply is minted to the curve before the first buy of the launch.
  if (from === ZERO) context.Market.set({ id: to, token })
  else await move(from, -value)
  if (to !== ZERO) await move(to, value)
})

Curve.Bought.handler(async ({ event, context }) => {
  const { buyer, paidWei, feeWei, tokenAmount } = event.params
  await traded(event, context, { side: 'buy', maker: buyer, amountToken: tokenAmount, amountWei: paidWei, netWei: paidWei - feeWei })
})

Curve.Sold.handler(async ({ event, context }) => {
  const { seller, receivedWei, feeWei, tokenAmount } = event.params
  await traded(event, context, {
    side: 'sell',
    maker: seller,
    amountToken: tokenAmount,
    amountWei: receivedWei,
    netWei: receivedWei + feeWei,
  })
})

Pool.Swap.handler(async ({ event, context }) => {
  const known = await context.Market.get(event.srcAddress)
  if (known === undefined) return
  const { amount0, amount1, recipient: maker } = event.params
  const [tokens, wei] = known.token < WETH ? [amount0, amount1] : [amount1, amount0]
  const amountWei = wei < 0n ? -wei : wei
  const side = tokens < 0n ? 'buy' : 'sell'
  await traded(event, context, { side, maker, amountToken: tokens < 0n ? -tokens : tokens, amountWei, netWei: amountWei })
})

async function traded(event, context, { side, maker, amountToken, amountWei, netWei }) {
  const pool = event.srcAddress
  const market = await context.Market.get(pool)
  if (market === undefined) return
  const { token } = market
  const { number: blockNumber, timestamp } = event.block
  const { logIndex } = event
  const price = Number(netWei) / Number(amountToken)
  const txHash = event.transaction.hash
  const amounts = { amountToken, amountWei, price }
  context.Trade.set({ id: `${blockNumber}-${logIndex}`, token, pool, side, maker, ...amounts, blockNumber, txHash, logIndex, timestamp })
  const times = INTERVALS.map(intervalSeconds => [intervalSeconds, timestamp - (timestamp % intervalSeconds)])
  const [known, ...candles] = await Promise.all([
    context.Token.getOrCreate(emptyToken(token, event)),
    ...times.map(([intervalSeconds, time]) => context.Candle.get(`${token}-${intervalSeconds}-${time}`)),
  ])
  context.Token.set({ ...known, price, tradeCount: known.tradeCount + 1, volumeWei: known.volumeWei + amountWei, lastTradeAt: timestamp })
  for (const [index, [intervalSeconds, time]] of times.entries()) {
    const id = `${token}-${intervalSeconds}-${time}`
    const candle = candles[index] ?? {
      id,
      token,
      intervalSeconds,
      time,
      openPrice: price,
      high: price,
      low: price,
      volumeWei: 0n,
      trades: 0,
    }
    context.Candle.set({
      ...candle,
      high: Math.max(candle.high, price),
      low: Math.min(candle.low, price),
      closePrice: price,
      volumeWei: candle.volumeWei + amountWei,
      trades: candle.trades + 1,
    })
  }
}

function emptyToken(id, { block: { timestamp: createdAt, number: createdBlock } }) {
  const unknown = { creator: ZERO, symbol: '', name: '', metadataUri: '', price: undefined, pool: undefined, lastTradeAt: undefined }
  return { id, ...unknown, createdAt, createdBlock, tradeCount: 0, volumeWei: 0n }
}
