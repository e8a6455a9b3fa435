import { createHash } from 'node:crypto'
import type { Logger } from 'pino'
import type { Address, Hex } from '#domain/address.ts'
import type { BlockCalls, CallAnswer } from '#domain/contractCall.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { readKeptFacts, writeKeptFacts } from '#store/keptLogs.ts'
import type { ChainFacts } from '#sync/committer.ts'

export interface KeptFactsOptions {
  readonly facts: ChainFacts
  /** The databases that may hold a fact, in the order in which they are looked into. */
  readonly databases: readonly Queryable[]
  /** Where new facts are kept; `null`: nowhere. */
  readonly into: Queryable | null
  readonly logger: Logger
}

export interface KeptFacts extends ChainFacts {
  /** Resolves when everything is written. */
  settled(): Promise<void>
}

type Facts = ReadonlyMap<Hex, Hex | null>

/**
 * Senders of transactions, and what contracts answered at the end of a block: kept ones first, then the chain's, which are kept. Their keys
 * are hashes of what they follow from, so a reorg does not change them.
 */
export function createKeptFacts({ facts, databases, into, logger }: KeptFactsOptions): KeptFacts {
  let writing: Promise<void> = Promise.resolve()

  const read = async (keys: readonly Hex[]): Promise<Facts> => {
    const found = new Map<Hex, Hex | null>()
    for (const db of databases) {
      const missing = keys.filter(key => !found.has(key))
      for (const [key, value] of missing.length === 0 ? [] : await readKeptFacts(db, missing)) found.set(key, value)
    }
    return found
  }

  const keep = async (found: Facts): Promise<void> => {
    if (into === null || found.size === 0) return
    await writing
    writing = writeKeptFacts(into, found).catch((err: unknown) => {
      logger.warn({ err }, 'senders and answers of contracts could not be kept; a rebuild will ask providers for them')
    })
  }

  return {
    senders: async transactions => {
      const kept = await read(transactions.map(({ txHash }) => txHash))
      const missing = transactions.filter(({ txHash }) => !kept.has(txHash))
      const fetched = missing.length === 0 ? NO_SENDERS : await facts.senders(missing)
      await keep(fetched)
      return new Map([...(kept as ReadonlyMap<Hex, Address>), ...fetched])
    },
    answers: async blocks => {
      const kept = await read(blocks.flatMap(block => block.calls.map((_, index) => keyOfCall(block, index))))
      const missing = blocks.filter(block => block.calls.some((_, index) => !kept.has(keyOfCall(block, index))))
      const fetched = missing.length === 0 ? NO_ANSWERS : await facts.answers(missing)
      await keep(
        new Map(missing.flatMap(block => (fetched.get(block.hash) ?? []).map((answer, index) => [keyOfCall(block, index), answer]))),
      )
      const answersOf = (block: BlockCalls) =>
        fetched.get(block.hash) ?? block.calls.map((_, index) => kept.get(keyOfCall(block, index)) ?? null)
      return new Map(blocks.map(block => [block.hash, answersOf(block)]))
    },
    settled: () => writing,
  }
}

const NO_SENDERS: ReadonlyMap<Hex, Address> = new Map()
const NO_ANSWERS: ReadonlyMap<Hex, readonly CallAnswer[]> = new Map()

function keyOfCall({ hash, calls }: BlockCalls, index: number): Hex {
  const call = calls[index]
  return `0x${createHash('sha256').update(`${hash} ${call?.to} ${call?.data}`).digest('hex')}`
}
