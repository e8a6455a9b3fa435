import { toEventSelector } from 'viem'
import { curveAbi, launchpadAbi, poolAbi, tokenAbi } from '#devchain/abis.ts'
import { type Address, toAddress } from '#domain/address.ts'
import type { RecordedChain } from './recordedChain.ts'
import type { ChainContents } from './sourceCalls.ts'

const TOPICS = {
  launched: selectorOf(launchpadAbi, 'TokenLaunched'),
  graduated: selectorOf(launchpadAbi, 'Graduated'),
  bought: selectorOf(curveAbi, 'Bought'),
  sold: selectorOf(curveAbi, 'Sold'),
  swap: selectorOf(poolAbi, 'Swap'),
  transfer: selectorOf(tokenAbi, 'Transfer'),
}

/** Counts the launchpad's contracts and logs on the chain. */
export function chainContents(chain: RecordedChain, launchpad: Address): ChainContents {
  const query = (addresses: readonly string[], topic: readonly string[] | null) =>
    chain.logs({ from: 0, to: chain.head, addresses, topics: topic === null ? [] : [topic] }, Number.POSITIVE_INFINITY)
  const topicsOf = (topic: string) => {
    const { text } = query([launchpad], [topic])
    return (JSON.parse(String(text)) as { topics: string[] }[]).map(({ topics }) => topics.map(one => `0x${one.slice(26)}`))
  }
  const launches = topicsOf(TOPICS.launched)
  const graduations = topicsOf(TOPICS.graduated)
  const tokens = launches.map(topics => topics[1] ?? '')
  const curves = launches.map(topics => topics[3] ?? '')
  const pools = graduations.map(topics => topics[2] ?? '')
  const trades = query(curves, [TOPICS.bought, TOPICS.sold]).count + query(pools, [TOPICS.swap]).count
  const addresses = [launchpad, ...tokens, ...curves, ...pools].map(toAddress)
  let blocksWithLogs = 0
  for (let number = 0; number <= chain.head; number++) {
    if (chain.logs({ from: number, to: number, addresses, topics: [] }, 0).count > 0) blocksWithLogs++
  }
  return {
    addresses,
    logs: query(addresses, null).count,
    blocksWithLogs,
    events: launches.length + graduations.length + trades + query(tokens, [TOPICS.transfer]).count,
    trades,
  }
}

function selectorOf(abi: readonly { readonly type: string; readonly name?: string }[], name: string): string {
  const event = abi.find(item => item.type === 'event' && item.name === name)
  if (event === undefined) throw new TypeError(`no event ${name}`)
  return toEventSelector(event as Parameters<typeof toEventSelector>[0])
}
