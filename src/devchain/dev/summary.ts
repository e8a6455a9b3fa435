import type { Deployment } from '#devchain/deploy.ts'
import type { Factories } from '#devchain/deployFactories.ts'
import type { Address } from '#domain/address.ts'
import { VERSION } from '#package'

export interface SummaryInput {
  readonly serviceUrl: string
  /** URLs of further gateways. */
  readonly gatewayUrls: readonly string[]
  /** URL of an indexer in a process of its own. */
  readonly indexerUrl: string | null
  readonly rpcUrl: string
  readonly databaseUrl: string
  readonly devFile: string
  readonly seed: number
  readonly deployment: Deployment
  readonly factories: Factories
  /** A token that is traded now. */
  readonly token: Address | null
}

/** The key of anvil's second account, which is public and has no value on other chains. */
const TEST_ACCOUNT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const TEST_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

/** The text on the terminal when everything runs. It contains no credentials: the database's password is only in the file. */
export function summary(input: SummaryInput): string {
  const { serviceUrl, gatewayUrls, indexerUrl, rpcUrl, databaseUrl, devFile, seed, deployment, factories, token } = input
  const someToken = token ?? '<token>'
  const socketUrl = `${serviceUrl.replace(/^http/, 'ws')}/realtime`
  const subscribe = JSON.stringify({ type: 'subscribe', token: someToken }).replaceAll('"', '\\"')
  const script = `const s = new WebSocket('${socketUrl}'); s.onopen = () => s.send('${subscribe}'); s.onmessage = m => console.log(m.data)`
  const indexer = indexerUrl === null ? '' : `    Indexer      ${indexerUrl}  (health and metrics only)\n`
  return `
  Tokenwire runs on a development chain: simulated traders, nothing on it is real.

    Console      ${serviceUrl}/
    API          ${serviceUrl}/docs  (every path and message, to try)
    Agents       ${serviceUrl}/mcp  (Model Context Protocol), ${serviceUrl}/llms.txt
    Status       ${serviceUrl}/api/indexer/health  (version ${VERSION})
    Service      ${[serviceUrl, ...gatewayUrls].join(', ')}
${indexer}    Chain RPC    ${rpcUrl}  (anvil, chain id ${deployment.chainId})
    Launchpads   reference         ${deployment.launchpad}  (ETH, then Uniswap v3)
                 reference-dollar  ${factories.dollarLaunchpad}  (a dollar of 6 decimals, which a pool prices)
                 reference-v4      ${factories.v4.launchpad}  (Uniswap v4 alone, in WETH or dollars)
    PostgreSQL   ${withoutPassword(databaseUrl)}  (with its password in ${devFile})
    ETH price    simulated, as are the traders
    Test account ${TEST_ACCOUNT}  (10,000 ETH of this chain)
                 key ${TEST_KEY}
    Seed         ${seed}  (DEV_SEED=${seed} gives the same market)

  Try it in another terminal, with a token that is traded now:

    curl -s '${serviceUrl}/api/tokens?sort=trades24h&limit=2'
    curl -N '${serviceUrl}/api/tokens/${someToken}/stream'
    npx --no-install node -e "${script}"

  Ctrl-C stops all of it.
`
}

function withoutPassword(databaseUrl: string): string {
  try {
    const url = new URL(databaseUrl)
    return `${url.protocol}//${url.username === '' ? '' : `${url.username}@`}${url.host}${url.pathname}`
  } catch {
    return 'as DATABASE_URL says'
  }
}
