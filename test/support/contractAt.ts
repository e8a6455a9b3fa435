import {
  type Abi,
  type ContractEventName,
  type ContractFunctionArgs,
  type ContractFunctionName,
  type ContractFunctionReturnType,
  encodeFunctionData,
  type GetEventArgs,
  type Hex,
  parseEventLogs,
  type TransactionReceipt,
} from 'viem'
import type { Address } from '#domain/address.ts'
import type { TestChain } from './chain.ts'

type Changing = 'nonpayable' | 'payable'
type Reading = 'pure' | 'view'
type CallOf<A extends Abi> = ContractFunctionName<A, Changing>
type ReadOf<A extends Abi> = ContractFunctionName<A, Reading>
type ReadArgs<A extends Abi, Name extends ReadOf<A>> = ContractFunctionArgs<A, Reading, Name>

/** A contract of a test chain whose functions are called by name, with arguments of their types. */
export interface ChainContract<A extends Abi> {
  readonly address: Address
  /** The data of a call. */
  data<Name extends CallOf<A>>(functionName: Name, args: ContractFunctionArgs<A, Changing, Name>): Hex
  /** Sends the call without mining. One sender's calls keep their order. */
  queue<Name extends CallOf<A>>(
    from: Address,
    functionName: Name,
    args: ContractFunctionArgs<A, Changing, Name>,
    value?: bigint,
  ): Promise<Hex>
  /** Mines the call in a block of its own. */
  send<Name extends CallOf<A>>(
    from: Address,
    functionName: Name,
    args: ContractFunctionArgs<A, Changing, Name>,
    value?: bigint,
  ): Promise<TransactionReceipt>
  /** @param block Default: the newest. */
  read<Name extends ReadOf<A>>(
    functionName: Name,
    ...args: ReadArgs<A, Name> extends readonly [] ? [args?: readonly [], block?: bigint] : [args: ReadArgs<A, Name>, block?: bigint]
  ): Promise<ContractFunctionReturnType<A, Reading, Name>>
}

export function contractAt<const A extends Abi>(chain: Pick<TestChain, 'client' | 'mined'>, address: Address, abi: A): ChainContract<A> {
  const untyped: Abi = abi
  const data = (functionName: string, args: unknown) => encodeFunctionData({ abi: untyped, functionName, args: args as readonly unknown[] })
  const queue = (from: Address, functionName: string, args: unknown, value = 0n) =>
    chain.client.sendTransaction({ account: from, chain: null, to: address, data: data(functionName, args), value, gas: CALL_GAS })
  return {
    address,
    data,
    queue,
    send: (from, functionName, args, value) => chain.mined(queue(from, functionName, args, value)),
    read: ((functionName: string, args: readonly unknown[] = [], blockNumber?: bigint) =>
      chain.client.readContract({
        address,
        abi: untyped,
        functionName,
        args,
        ...(blockNumber !== undefined && { blockNumber }),
      })) as ChainContract<A>['read'],
  }
}

/** Enough for a launch with its pool. A fixed limit lets calls be mined that revert. */
const CALL_GAS = 16_000_000n

/**
 * The arguments of the first event of this name in a receipt.
 *
 * @throws `Error` when there is none
 */
export function eventIn<const A extends Abi, Name extends ContractEventName<A>>(
  { logs }: Pick<TransactionReceipt, 'logs'>,
  abi: A,
  eventName: Name,
): GetEventArgs<A, Name, { IndexedOnly: false; EnableUnion: false; Required: true }> {
  const untyped: { readonly abi: Abi; readonly eventName: string } = { abi, eventName }
  const [event] = parseEventLogs({ ...untyped, logs })
  if (event === undefined) throw new Error(`no ${eventName} in the receipt`)
  return event.args as unknown as GetEventArgs<A, Name, { IndexedOnly: false; EnableUnion: false; Required: true }>
}
