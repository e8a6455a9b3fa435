import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { formatUnits } from 'viem'
import { tokenAbi } from '#devchain/abis.ts'
import type { DevChain } from '#devchain/actions.ts'
import { DOLLAR_DECIMALS, type Factories } from '#devchain/deployFactories.ts'
import type { Address } from '#domain/address.ts'

/** Swings of different lengths, in seconds, each with its share of the price. */
const SWINGS = [
  { seconds: 7_200, share: 0.003 },
  { seconds: 900, share: 0.001 },
]

export interface SimulatedPrices {
  /** For `COINGECKO_URL` and `COINBASE_URL`. */
  readonly url: string
  stop(): Promise<void>
}

/**
 * A price of ETH for the development chain, answered as CoinGecko and Coinbase do, and marked as simulated.
 *
 * @param meanUsd USD per ETH, around which the price swings
 */
export async function startSimulatedPrices(meanUsd: () => Promise<number>): Promise<SimulatedPrices> {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const price = simulatedPrice(await meanUsd(), Date.now() / 1_000)
    const path = request.url ?? ''
    const body = path.startsWith('/api/v3/simple/price')
      ? { ethereum: { usd: price }, simulated: true }
      : path === '/v2/prices/ETH-USD/spot'
        ? { data: { amount: String(price), base: 'ETH', currency: 'USD' }, simulated: true }
        : null
    response.writeHead(body === null ? 404 : 200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
  }
  // The chain may have ended: then there is no price.
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()))
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
function simulatedPrice(meanUsd: number, time: number): number {
  const swing = SWINGS.reduce((sum, { seconds, share }) => sum + share * Math.sin((2 * Math.PI * time) / seconds), 0)
  return Math.round(meanUsd * (1 + swing) * 100) / 100
}

/** What the pool of dollars and WETH has of the one for the other. */
export async function dollarsPerEther({ client, deployment, factories }: DevChain & { readonly factories: Factories }): Promise<number> {
  const held = (token: Address) =>
    client.readContract({ address: token, abi: tokenAbi, functionName: 'balanceOf', args: [factories.dollarPool] })
  const [dollars, ether] = await Promise.all([held(factories.dollar), held(deployment.weth)])
  return Number(formatUnits(dollars, DOLLAR_DECIMALS)) / Number(formatUnits(ether, 18))
}
