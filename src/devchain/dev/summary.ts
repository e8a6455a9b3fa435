import type { Deployment } from '#devchain/deploy.ts'
import type { Address } from '#domain/address.ts'

export interface SummaryInput {
  readonly serviceUrl: string
  readonly rpcUrl: string
  readonly databaseUrl: string
  readonly devFile: string
  readonly seed: number
  readonly deployment: Deployment
  /** A token that is traded just now. */
  readonly token: Address | null
}

/** Anvil's second account: its key is in every copy of anvil and worth nothing anywhere else. */
const TEST_ACCOUNT = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const TEST_KEY = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

/** What the terminal shows when everything runs. It holds no credential: the database's password is in the file alone. */
export function summary(input: SummaryInput): string {
  const { serviceUrl, rpcUrl, databaseUrl, devFile, seed, deployment, token } = input
  const someToken = token ?? '<token>'
  const socketUrl = `${serviceUrl.replace(/^http/, 'ws')}/realtime`
  const subscribe = JSON.stringify({ type: 'subscribe', token: someToken }).replaceAll('"', '\\"')
  const script = `const s = new WebSocket('${socketUrl}'); s.onopen = () => s.send('${subscribe}'); s.onmessage = m => console.log(m.data)`
  return `
  Tokenwire runs on a development chain: simulated traders, nothing of it is real.

    Console      ${serviceUrl}/
    Service      ${serviceUrl}
    Chain RPC    ${rpcUrl}  (anvil, chain id ${deployment.chainId}, launchpad ${deployment.launchpad})
    PostgreSQL   ${withoutPassword(databaseUrl)}  (with its password in ${devFile})
    Test account ${TEST_ACCOUNT}  (10,000 ETH of this chain)
                 key ${TEST_KEY}
    Seed         ${seed}  (DEV_SEED=${seed} repeats it)

  Try it in another terminal, with a token that is traded just now:

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
