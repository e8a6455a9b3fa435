import { startAnvil } from '#devchain/anvil.ts'
import { createDevClient } from '#devchain/client.ts'
import { type Deployment, deploy } from '#devchain/deploy.ts'
import { startWatchdog } from '#devchain/startWatchdog.ts'
import type { Address } from '#domain/address.ts'
import { type ChainSettings, type PlannedTransaction, planChain, walletOf } from './chainPlan.ts'
import { connectJsonRpc, type JsonRpc, type RpcCall } from './jsonRpc.ts'

/** anvil's answers about one block. */
export interface GeneratedBlock {
  /** `eth_getBlockByNumber` with full transactions. */
  readonly block: unknown
  /** `eth_getLogs` of the block. */
  readonly logs: readonly unknown[]
}

export interface GenerateOptions {
  readonly settings: ChainSettings
  readonly onBlock: (block: GeneratedBlock) => void | Promise<void>
  readonly onProgress: (mined: number, blocks: number) => void
}

/** The genesis block's timestamp, the same in every run. */
const GENESIS_TIMESTAMP = 1_780_000_000
const WALLET_WEI = 100_000n * 10n ** 18n
const GAS_PRICE_WEI = 3_000_000_000n
const CALLS_PER_REQUEST = 500
/** In longer batches anvil executes some transactions out of order, and later ones of the plan would fail. */
const TRANSACTIONS_PER_REQUEST = 32
const BLOCKS_PER_READ = 100

/**
 * Generates the chain with anvil and the reference launchpad's contracts, and reads it back block by block. Accounts are impersonated,
 * nonces counted here and blocks mined explicitly, so that anvil spends its time on the transactions.
 *
 * @throws `Error` when a transaction is refused, or when the mined transactions differ from the sent ones
 */
export async function generateChain({ settings, onBlock, onProgress }: GenerateOptions): Promise<Deployment> {
  const watchdog = startWatchdog()
  const anvil = await startAnvil({ timestamp: GENESIS_TIMESTAMP, keptStates: 1, watchdog })
  try {
    const client = createDevClient(anvil.url)
    const rpc = connectJsonRpc(anvil.url)
    const deployment = await deploy(client, {}, () => client.mine({ blocks: 1 }))
    await rpc.batch([
      { method: 'anvil_autoImpersonateAccount', params: [true] },
      { method: 'anvil_setBlockTimestampInterval', params: [settings.secondsPerBlock] },
    ])
    const funding = Array.from({ length: settings.wallets }, (_, index) => walletOf(index)).map(fund)
    for (let at = 0; at < funding.length; at += CALLS_PER_REQUEST) await rpc.batch(funding.slice(at, at + CALLS_PER_REQUEST))

    const nonces = new Map<Address, number>()
    let mined = 0
    for (const transactions of planChain(settings, deployment)) {
      const sent = await sendAll(rpc, transactions, nonces)
      // Two requests, because anvil executes the calls of one request in parallel.
      await rpc.batch([{ method: 'evm_mine', params: [] }])
      const [block] = await rpc.batch([{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
      const { transactions: included } = block as { readonly transactions: readonly string[] }
      if (included.join() !== sent.join()) throw new Error(`block ${mined + 2} does not hold what was sent, in that order`)
      if (++mined % BLOCKS_PER_READ === 0) onProgress(mined, settings.blocks)
    }
    await readBack(rpc, onBlock)
    onProgress(mined, settings.blocks)
    return deployment
  } finally {
    await anvil.stop()
    await watchdog.stop()
  }
}

function fund(address: Address): RpcCall {
  return { method: 'anvil_setBalance', params: [address, quantity(WALLET_WEI)] }
}

async function sendAll(
  rpc: JsonRpc,
  transactions: readonly PlannedTransaction[],
  nonces: Map<Address, number>,
): Promise<readonly unknown[]> {
  const calls = transactions.map(({ from, to, data, valueWei, gas }) => {
    const nonce = nonces.get(from) ?? 0
    nonces.set(from, nonce + 1)
    const fields = {
      from,
      to,
      data,
      value: quantity(valueWei),
      gas: quantity(gas),
      gasPrice: quantity(GAS_PRICE_WEI),
      nonce: quantity(nonce),
    }
    return { method: 'eth_sendTransaction', params: [fields] }
  })
  const hashes: unknown[] = []
  for (let at = 0; at < calls.length; at += TRANSACTIONS_PER_REQUEST) {
    hashes.push(...(await rpc.batch(calls.slice(at, at + TRANSACTIONS_PER_REQUEST))))
  }
  return hashes
}

async function readBack(rpc: JsonRpc, onBlock: GenerateOptions['onBlock']): Promise<void> {
  const [head] = await rpc.batch([{ method: 'eth_blockNumber', params: [] }])
  const last = Number(head)
  for (let from = 0; from <= last; from += BLOCKS_PER_READ) {
    const numbers = Array.from({ length: Math.min(BLOCKS_PER_READ, last - from + 1) }, (_, index) => quantity(from + index))
    const answers = await rpc.batch(
      numbers.flatMap(number => [
        { method: 'eth_getBlockByNumber', params: [number, true] },
        { method: 'eth_getLogs', params: [{ fromBlock: number, toBlock: number }] },
      ]),
    )
    for (let at = 0; at < answers.length; at += 2) await onBlock({ block: answers[at], logs: answers[at + 1] as readonly unknown[] })
  }
}

function quantity(value: bigint | number): string {
  return `0x${value.toString(16)}`
}
