import type { ChainSource } from '#chain/chainSource.ts'
import type { BlockWithLogs, ChainTip } from '#chain/chainTips.ts'
import type { Confirmations } from '#config'
import type { ChainHeader } from '#rpc/parseHeader.ts'

export interface TipBlocks extends Omit<ChainSource, 'tip'> {
  tip(confirmations: Confirmations, announced: boolean): Promise<ChainTip>
}

/** The block that came with the newest tip, for whoever asks for it by its number; until synchronisation hands it on as a value. */
export function withTipBlocks(source: ChainSource): TipBlocks {
  let last: ChainTip | null = null
  let block: BlockWithLogs | null = null
  /** Whether the newest confirmed block was asked for: then the next one will be. */
  let isTaken = false

  const forget = () => {
    last = null
    block = null
    isTaken = false
  }
  const known = (number: number) => (last === null ? [] : [last.confirmed, last.head]).find(header => header.number === number)
  const compare = (header: ChainHeader) => {
    if ((known(header.number)?.hash ?? header.hash) !== header.hash) forget()
  }

  return {
    ...source,
    tip: async (confirmations, announced) => {
      const tip = await source.tip({ confirmations, announced, next: isTaken && last !== null ? last.confirmed.number + 1 : null })
      if (tip.confirmed.hash !== last?.confirmed.hash) {
        isTaken = false
        block = tip.block
      }
      last = tip
      return tip
    },
    header: async number => {
      const header = await source.header(number)
      compare(header)
      return header
    },
    headers: async numbers => {
      const headers = await source.headers(numbers)
      for (const header of headers) compare(header)
      return headers
    },
    headerOfEach: number => {
      forget()
      return source.headerOfEach(number)
    },
    blockWithLogs: async number => {
      if (last?.confirmed.number !== number) return source.blockWithLogs(number, known(number))
      isTaken = true
      const taken = block
      block = null
      return taken ?? source.blockWithLogs(number, known(number))
    },
  }
}
