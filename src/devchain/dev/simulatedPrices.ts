import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** USD per ETH around which the price swings. */
const MEAN_USD = 3_000
/** Swings of different lengths, in seconds, each with its share of the price. */
const SWINGS = [
  { seconds: 86_400, share: 0.03 },
  { seconds: 7_200, share: 0.008 },
  { seconds: 900, share: 0.002 },
]

export interface SimulatedPrices {
  /** For `COINGECKO_URL` and `COINBASE_URL`. */
  readonly url: string
  stop(): Promise<void>
}

/** A price of ETH for the development chain, answered as CoinGecko and Coinbase do, and marked as simulated. */
export async function startSimulatedPrices(): Promise<SimulatedPrices> {
  const server = createServer((request, response) => {
    const price = simulatedPrice(Date.now() / 1_000)
    const path = request.url ?? ''
    const answer = path.startsWith('/api/v3/simple/price')
      ? { ethereum: { usd: price }, simulated: true }
      : path === '/v2/prices/ETH-USD/spot'
        ? { data: { amount: String(price), base: 'ETH', currency: 'USD' }, simulated: true }
        : null
    response.writeHead(answer === null ? 404 : 200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    stop: () => {
      server.closeAllConnections()
      return new Promise(resolve => void server.close(() => resolve()))
    },
  }
}

/** @param time Unix seconds */
function simulatedPrice(time: number): number {
  const swing = SWINGS.reduce((sum, { seconds, share }) => sum + share * Math.sin((2 * Math.PI * time) / seconds), 0)
  return Math.round(MEAN_USD * (1 + swing) * 100) / 100
}
