import { z } from 'zod'
import { type Hex, toAddress } from '#domain/address.ts'
import type { SimulatedLog } from '#launchpads/lpPositionFees.ts'

const hex = z.string().regex(/^0x([0-9a-fA-F]{2})*$/)
const word = z.string().regex(/^0x[0-9a-fA-F]{64}$/)
const log = z.object({ address: z.string().regex(/^0x[0-9a-fA-F]{40}$/), topics: z.array(word).max(4), data: hex })
const simulation = z.tuple([z.object({ calls: z.tuple([z.object({ status: z.string(), logs: z.array(log).max(1_000).optional() })]) })])

/** The logs in the answer to an `eth_simulateV1` of one call; `null` when the call reverts, or the answer has another shape. */
export function readSimulatedLogs(answer: unknown): readonly SimulatedLog[] | null {
  const parsed = simulation.safeParse(answer)
  if (!parsed.success) return null
  const { status, logs } = parsed.data[0].calls[0]
  if (Number(status) !== 1 || logs === undefined) return null
  return logs.map(({ address, topics, data }) => ({
    address: toAddress(address),
    topics: topics.map(topic => topic.toLowerCase() as Hex),
    data: data.toLowerCase() as Hex,
  }))
}
