import { fetchHeader } from '#chain/block.ts'
import type { ChainLog } from '#domain/block.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { decideByReceipts } from './decideByReceipts.ts'
import { areSameLogs } from './orderLogs.ts'

export interface DecidedLogs {
  readonly logs: readonly ChainLog[]
  /** The first block of which the two answers differ; `null`: none. */
  readonly disputed: number | null
  /** Whether each answer was right in all blocks that were looked at. */
  readonly isRight: readonly [boolean, boolean]
}

/** While one answer is right in every block that is looked at, it is believed after this many. */
const MAX_LOOKED_AT = 8

/**
 * Of two providers' answers to one query of old blocks, the logs that are right: where the answers differ, `decideByReceipts` decides. A
 * provider that leaves logs out, or makes some up, makes no error.
 *
 * @throws `RpcError` `inconsistent` when no receipts decide
 */
export async function decideLogs(
  rpc: Pick<Rpc, 'ask' | 'askEach' | 'headers'>,
  [one, other]: readonly [readonly ChainLog[], readonly ChainLog[]],
  isWanted: (log: ChainLog) => boolean,
): Promise<DecidedLogs> {
  const [ofOne, ofOther] = [byBlock(one), byBlock(other)]
  const blocks = [...new Set([...ofOne.keys(), ...ofOther.keys()])].toSorted((a, b) => a - b)
  const disputed = blocks.filter(block => !areSameLogs(ofOne.get(block) ?? [], ofOther.get(block) ?? []))
  const decided = new Map<number, readonly ChainLog[]>()
  let isRight: DecidedLogs['isRight'] = [true, true]
  for (const block of disputed) {
    if (decided.size >= MAX_LOOKED_AT && isRight.includes(true)) break
    const header = await rpc.ask(async provider => {
      const shown = await fetchHeader(provider, block)
      await rpc.headers.assertAgreed([shown])
      return shown
    })
    const logs = (await decideByReceipts(rpc, header)).filter(isWanted)
    const answers = [ofOne.get(block) ?? [], ofOther.get(block) ?? []] as const
    const right = answers.find(answer => areSameLogs(answer, logs))
    isRight = [isRight[0] && right === answers[0], isRight[1] && right === answers[1]]
    // Receipts prove neither the indexes of logs nor the hashes of transactions: an answer that is right is the better source.
    decided.set(block, right ?? logs)
  }
  const believed = isRight[0] ? ofOne : ofOther
  const logs = blocks.flatMap(block => decided.get(block) ?? believed.get(block) ?? [])
  return { logs, disputed: disputed[0] ?? null, isRight }
}

function byBlock(logs: readonly ChainLog[]): ReadonlyMap<number, readonly ChainLog[]> {
  return Map.groupBy(logs, ({ blockNumber }) => blockNumber)
}
