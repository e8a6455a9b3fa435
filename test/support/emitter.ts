import type { Hex } from 'viem'
import type { Anvil } from '#devchain/anvil.ts'
import { createDevClient, type DevClient } from '#devchain/client.ts'
import { type Address, toAddress } from '#domain/address.ts'

/*
 * A contract that logs its call data: the first word is the topic, the rest the data.
 *
 *   PUSH1 20 CALLDATASIZE SUB          size = calldatasize - 32
 *   DUP1 PUSH1 20 PUSH1 00 CALLDATACOPY
 *   PUSH1 00 CALLDATALOAD SWAP1 PUSH1 00 LOG1 STOP
 */
const RUNTIME = '60203603806020600037600035906000a100'
const DEPLOY: Hex = `0x601280600b6000396000f3${RUNTIME}`

/** A bare anvil with contracts that log what a test tells them to. */
export interface EmitterChain {
  readonly client: DevClient
  readonly url: string
  /** Deploys a contract that logs its call data; mines a block. */
  deployEmitter(): Promise<Address>
  /** Lets an emitter log in the next mined block. */
  emit(emitter: Address, topic: Hex, data?: Hex): Promise<void>
  mine(blocks?: number): Promise<void>
}

export async function createEmitterChain(anvil: Pick<Anvil, 'url'>): Promise<EmitterChain> {
  const client = createDevClient(anvil.url)
  const [account] = await client.getAddresses()
  if (account === undefined) throw new Error('anvil has no accounts')
  const mine = (blocks = 1) => client.mine({ blocks })
  const send = (to: Address | null, data: Hex) => client.sendTransaction({ account, to, data, gas: 200_000n, chain: null })
  return {
    client,
    url: anvil.url,
    mine,
    deployEmitter: async () => {
      const hash = await send(null, DEPLOY)
      await mine()
      const { contractAddress } = await client.getTransactionReceipt({ hash })
      if (contractAddress === null || contractAddress === undefined) throw new Error('the emitter was not deployed')
      return toAddress(contractAddress)
    },
    emit: async (emitter, topic, data = '0x') => {
      await send(emitter, `${topic}${data.slice(2)}`)
    },
  }
}
