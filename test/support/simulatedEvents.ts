import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { CLANKER_TOPICS } from './simulatedClanker.ts'
import { LAUNCHPAD_TOPICS } from './simulatedLaunchpad.ts'
import { TRANSFER, V3_SWAP } from './simulatedLogs.ts'
import { ZORA_TOPICS } from './simulatedZora.ts'

/** The kinds of events of a simulated chain. */
export const EVENT_KINDS = ['launch', 'graduation', 'trade', 'transfer', 'claim', 'vesting', 'rename'] as const
export type EventCounts = Readonly<Record<(typeof EVENT_KINDS)[number], number>>

const { launched, graduated, bought, sold, claimed } = LAUNCHPAD_TOPICS
const { created31, created4, v4Swap, claimedRewards, claimed: claimedByOwner, claimedPermissioned } = CLANKER_TOPICS
const TOPICS: Readonly<Record<keyof EventCounts, readonly Hex[]>> = {
  launch: [launched, created31, created4, ZORA_TOPICS.created],
  graduation: [graduated],
  trade: [bought, sold, V3_SWAP, v4Swap],
  transfer: [TRANSFER],
  claim: [claimed, claimedRewards, claimedByOwner, claimedPermissioned],
  // Of a creator coin, whose symbol is also that of the currency of another one.
  vesting: [ZORA_TOPICS.vested, ZORA_TOPICS.recipient],
  rename: [ZORA_TOPICS.renamed],
}

export function countEvents(logs: readonly ChainLog[]): EventCounts {
  const count = (kind: keyof EventCounts) =>
    logs.filter(({ topics: [topic] }) => topic !== undefined && TOPICS[kind].includes(topic)).length
  return {
    launch: count('launch'),
    graduation: count('graduation'),
    trade: count('trade'),
    transfer: count('transfer'),
    claim: count('claim'),
    vesting: count('vesting'),
    rename: count('rename'),
  }
}
