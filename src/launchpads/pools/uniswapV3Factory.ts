import { toEventSelector } from 'viem/utils'
import type { Address } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { unlessMalformed } from '#launchpads/malformedLog.ts'
import { type PoolFacts, poolFacts } from '#launchpads/tokenEvent.ts'
import { addressTopic, addressWord, wordsOf, wordTopic } from '#launchpads/words.ts'

export const POOL_CREATED_TOPIC = toEventSelector('PoolCreated(address,address,uint24,int24,address)')

/** Uniswap gives fees in hundredths of a basis point. */
const PIPS_PER_BPS = 100

interface CreatedPool {
  readonly logIndex: number
  readonly feePips: bigint
  readonly facts: PoolFacts
}

/** The pools of the token that Uniswap's v3 factory made in the transaction of `creation`, up to that log, in order. */
export function poolsCreated(
  token: Address,
  creation: ChainLog,
  logs: readonly ChainLog[],
  uniswapFactory: Address,
): readonly CreatedPool[] {
  return logs.flatMap(log => {
    const isEarlier = log.txHash === creation.txHash && log.logIndex < creation.logIndex
    if (!isEarlier || log.address !== uniswapFactory || log.topics[0] !== POOL_CREATED_TOPIC) return []
    return unlessMalformed(() => poolOf(token, log)) ?? []
  })
}

function poolOf(token: Address, log: ChainLog): readonly CreatedPool[] {
  const [token0, token1] = [addressTopic(log.topics, 1), addressTopic(log.topics, 2)]
  if (token !== token0 && token !== token1) return []
  const feePips = wordTopic(log.topics, 3)
  const pair = { token, quoteToken: token0 === token ? token1 : token0, feeBps: Number(feePips) / PIPS_PER_BPS }
  return [{ logIndex: log.logIndex, feePips, facts: poolFacts(addressWord(wordsOf(log.data, 2)(1)), 'uniswap-v3', pair) }]
}
