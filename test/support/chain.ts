import { BaseError, decodeErrorResult, type Hex, type TransactionReceipt } from 'viem'
import { curveAbi, launchpadAbi, swapperAbi, tokenAbi } from '#devchain/abis.ts'
import type { DevChain } from '#devchain/actions.ts'
import { type Anvil, startAnvil } from '#devchain/anvil.ts'
import { createDevClient, type DevClient } from '#devchain/client.ts'
import { type DeployOptions, deploy } from '#devchain/deploy.ts'
import { startWatchdog } from '#devchain/startWatchdog.ts'
import { type Address, toAddress } from '#domain/address.ts'
import { closedAfterFile } from './closeAfterFile.ts'
import { loadChain, type StoredChain } from './storedChain.ts'

export interface TestChainOptions extends DeployOptions {
  readonly chainId?: number
  /** The genesis block's timestamp, Unix seconds. Default: now. */
  readonly timestamp?: number
  /** The number of accounts. Default 10. */
  readonly accounts?: number
  /** Goes on from there, with contracts that are deployed already. */
  readonly stored?: StoredChain
}

/** A chain for one test file, with the contracts deployed in block 1. It mines only on request. */
export interface TestChain extends DevChain {
  readonly anvil: Anvil
  /** Unlocked, 10,000 ETH each; the first one deployed the contracts. */
  readonly accounts: readonly Address[]
  /** @throws `Error` when the chain has fewer accounts */
  account(index: number): Address
  /** Mines blocks (default one) with the sent transactions, `secondsApart` (default 1) between their timestamps. */
  mine(count?: number, secondsApart?: number): Promise<void>
  /** The number of the newest block. */
  head(): Promise<number>
  /** Replaces the newest blocks by as many empty ones. */
  reorg(depth: number): Promise<void>
  /**
   * Mines one block and returns the transaction's receipt: `await chain.mined(launch(chain, …))`.
   *
   * @throws `Error` when the transaction reverted
   */
  mined(sent: Promise<Hex>): Promise<TransactionReceipt>
  /** Mines one block for all of them, each of which calls `mined` once. */
  together(actions: readonly (() => Promise<unknown>)[]): Promise<void>
  /**
   * Mines one block and returns the name (or the text) of the error with which the transaction reverted.
   *
   * @throws `Error` when it did not revert
   */
  reverted(sent: Promise<Hex>): Promise<string>
  stop(): Promise<void>
}

/** Starts anvil and deploys the contracts, in about 200 ms. It is stopped at the end of the test file. */
export async function startTestChain(options: TestChainOptions = {}): Promise<TestChain> {
  const { targetWei, stored, ...anvilOptions } = options
  const watchdog = startWatchdog()
  const anvil = await startAnvil({ ...anvilOptions, watchdog })
  const client = createDevClient(anvil.url)
  const mine = (count = 1, secondsApart = 1) => client.mine({ blocks: count, interval: secondsApart })
  const head = async () => Number(await client.getBlockNumber({ cacheTime: 0 }))
  const reorg = async (depth: number) => void (await client.request({ method: 'anvil_reorg', params: [depth, []] } as never))
  const stop = closedAfterFile(async () => {
    await anvil.stop()
    await watchdog.stop()
  })
  try {
    const deployment =
      stored === undefined ? await deploy(client, targetWei === undefined ? {} : { targetWei }, mine) : await loadChain(client, stored)
    const accounts = (await client.getAddresses()).map(toAddress)
    /** Mines when all of a group are sent. */
    let waiting: (() => Promise<void>) | null = null
    const together = async (actions: readonly (() => Promise<unknown>)[]) => {
      const mining = Promise.withResolvers<void>()
      let sent = 0
      waiting = () => {
        if (++sent === actions.length) void mine().then(mining.resolve, mining.reject)
        return mining.promise
      }
      try {
        await Promise.all(actions.map(action => action()))
      } finally {
        waiting = null
      }
    }
    const account = (index: number) => {
      const found = accounts[index]
      if (found === undefined) throw new Error(`the chain has no account ${index}`)
      return found
    }
    const receiptOf = async (sent: Promise<Hex>) => {
      const hash = await sent
      await (waiting ?? mine)()
      return client.getTransactionReceipt({ hash })
    }
    const mined = async (sent: Promise<Hex>) => {
      const receipt = await receiptOf(sent)
      if (receipt.status !== 'success') throw new Error(`reverted with ${await revertReason(client, receipt.transactionHash)}`)
      return receipt
    }
    const reverted = async (sent: Promise<Hex>) => {
      const receipt = await receiptOf(sent)
      if (receipt.status === 'success') throw new Error('the transaction succeeded')
      return revertReason(client, receipt.transactionHash)
    }
    return { client, deployment, anvil, accounts, account, mine, head, reorg, mined, together, reverted, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

const ERRORS = [...launchpadAbi, ...curveAbi, ...tokenAbi, ...swapperAbi].filter(item => item.type === 'error')

/** Why a transaction reverted, found by a call on the state after its block, which it did not change. */
async function revertReason(client: DevClient, hash: Hex): Promise<string> {
  const { from, to, input, value, gas } = await client.getTransaction({ hash })
  try {
    await client.call({ account: from, to, data: input, value, gas })
  } catch (error) {
    // viem wraps the node's error; the innermost error has the revert data.
    const innermost = error instanceof BaseError ? (error.walk() as { readonly data?: Hex | { readonly data?: Hex } }) : {}
    const raw = typeof innermost.data === 'object' ? innermost.data.data : innermost.data
    if (raw === undefined || raw === '0x') return 'no reason given'
    const { errorName, args } = decodeErrorResult({ abi: ERRORS, data: raw })
    return (errorName as string) === 'Error' ? String(args) : errorName
  }
  return 'a reason that is gone: it succeeds on the state after the block'
}
