import { createConfig, factory } from 'ponder'
import { getAbiItem, http } from 'viem'
import { curveAbi, launchpadAbi, poolAbi, tokenAbi } from './abis'

function setting(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${name} is not set`)
  return value
}

const address = setting('LAUNCHPAD') as `0x${string}`
const startBlock = Number(setting('START_BLOCK'))
const launched = getAbiItem({ abi: launchpadAbi, name: 'TokenLaunched' })
const graduated = getAbiItem({ abi: launchpadAbi, name: 'Graduated' })
const shared = { network: 'chain', startBlock } as const

export default createConfig({
  database: { kind: 'postgres', connectionString: setting('DATABASE_URL') },
  networks: {
    chain: {
      chainId: Number(setting('CHAIN_ID')),
      transport: http(setting('RPC_URL')),
      pollingInterval: Number(process.env['POLLING_INTERVAL_MS'] ?? 1_000),
      // The default of 50 would measure the rate limit.
      maxRequestsPerSecond: 100_000,
    },
  },
  contracts: {
    Launchpad: { ...shared, abi: launchpadAbi, address },
    Curve: { ...shared, abi: curveAbi, address: factory({ address, event: launched, parameter: 'curve' }) },
    Token: { ...shared, abi: tokenAbi, address: factory({ address, event: launched, parameter: 'token' }) },
    Pool: { ...shared, abi: poolAbi, address: factory({ address, event: graduated, parameter: 'pool' }) },
  },
})
