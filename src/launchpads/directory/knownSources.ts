import type { Address, Hex } from '#domain/address.ts'
import type { KeySet } from '#domain/maps.ts'
import type { IndexedSource, LogSource, LogSourceOf, SourcePool } from '#launchpads/logSource.ts'
import { NO_ROW, PackedTable, wordAt } from './packedTable.ts'

/** The part of a source that many sources share: everything except addresses. */
interface Template {
  /** With `tokenDecimals` where the source has them. */
  readonly head: Pick<LogSource, 'role' | 'launchpad'>
  readonly hasToken: boolean
  readonly pool: Omit<SourcePool, 'address' | 'quoteToken'> | null
}

/**
 * The words of a row beside its key. Template 0: the key is not a source, or no longer one. `TOKEN` and `QUOTE` are row numbers in the
 * table of addresses.
 */
const TEMPLATE = 0
const BLOCK = 1
const BLOCK_HIGH = 2
const TOKEN = 3
const QUOTE = 4
const VALUES = 5
/** For a position: the row of its pool's address, which is not part of the key. */
const POOL = 5
const WORD = 2 ** 32

const ADDRESS_BYTES = 20
const ID_BYTES = 32
const BLOCK_BYTES = 8
/** How many source objects are kept before all are dropped: the logs of a batch come from few sources. */
const MAX_KEPT = 1_000

/** Sources that differ in nothing but the key, the token and the block. */
export interface PackedSources {
  /** Any one of them. */
  readonly like: Exclude<LogSource, LogSourceOf<'position'>>
  /** The length of a key: 20 for addresses, 32 for pool ids. */
  readonly keyBytes: number
  /** One after the other: key, token (20 bytes; any where the sources have none) and block (8 bytes, big endian). */
  readonly records: Uint8Array
}

interface SourceTable {
  readonly rows: PackedTable
  /** The number of sources by template. */
  readonly counts: number[]
}

/**
 * The sources that logs have added, each with the block that added it, in packed tables: some 50 bytes each. What many have in common is
 * held once (`Template`), and the object of a source is made when it is looked up.
 */
export class KnownSources {
  readonly #addresses = tableOf(ADDRESS_BYTES, VALUES)
  readonly #ids = tableOf(ID_BYTES, VALUES)
  readonly #positions = tableOf(ADDRESS_BYTES + ID_BYTES, VALUES + 1)
  readonly #byLength = new Map([this.#addresses, this.#ids, this.#positions].map(table => [table.rows.keyLength, table]))
  readonly #templates: (Template | null)[] = [null]
  readonly #templateNumbers = new Map<string, number>()

  /** The source objects that lookups have made. */
  readonly #kept = new Map<Hex, Pick<IndexedSource, 'source' | 'block'>>()

  /** @param last the last block: sources of later blocks are left out. Default: none are */
  get(key: Hex, last = Number.POSITIVE_INFINITY): LogSource | undefined {
    const kept = this.#kept.get(key)
    if (kept !== undefined) return kept.block > last ? undefined : kept.source
    const table = this.#byLength.get(key.length)
    if (table === undefined) return undefined
    const row = table.rows.find(key)
    if (row === NO_ROW) return undefined
    const template = this.#templates[table.rows.value(row, TEMPLATE)]
    if (template === null || template === undefined) return undefined
    const block = blockOf(table, row)
    const ownKey = table.rows.keyAt(row)
    const source = this.#sourceAt(table, row, template, ownKey)
    if (this.#kept.size === MAX_KEPT) this.#kept.clear()
    // A copy of the key: the log's string may be a slice that keeps a provider's whole answer in memory.
    this.#kept.set(ownKey, { source, block })
    return block > last ? undefined : source
  }

  /**
   * Adds a source, in place of the one that the key had. @throws `TypeError` for a key that is neither an address, a pool id nor a
   * `positionKey`
   */
  put({ key, source, block }: IndexedSource): void {
    const table = this.#byLength.get(key.length)
    if (table === undefined) throw new TypeError(`no key of a source: ${key.slice(0, 140)}`)
    const { rows } = table
    const row = rows.add(key)
    this.#write(table, row, this.#numberOf(source), Math.floor(block / WORD), block % WORD)
    if ('token' in source) rows.setValue(row, TOKEN, this.#addresses.rows.add(source.token))
    if (!('pool' in source)) return
    rows.setValue(row, QUOTE, this.#addresses.rows.add(source.pool.quoteToken))
    if (table === this.#positions) rows.setValue(row, POOL, this.#addresses.rows.add(source.pool.address))
    else if (source.pool.address !== key) throw new TypeError(`pool ${source.pool.address} under another key: ${key}`)
  }

  /** As `put` with each of them, without an object or a text per source. @throws `TypeError` for keys of another length */
  putAll({ like, keyBytes, records }: PackedSources): void {
    const table = this.#byLength.get(2 + 2 * keyBytes)
    if (table === undefined || table === this.#positions) throw new TypeError(`no sources have keys of ${keyBytes} bytes`)
    const { rows } = table
    const addresses = this.#addresses.rows
    const number = this.#numberOf(like)
    const hasToken = 'token' in like
    const quote = 'pool' in like ? addresses.add(like.pool.quoteToken) : null
    for (let at = 0; at < records.length; at += keyBytes + ADDRESS_BYTES + BLOCK_BYTES) {
      const row = rows.addBytes(records, at)
      const blockAt = at + keyBytes + ADDRESS_BYTES
      this.#write(table, row, number, wordAt(records, blockAt), wordAt(records, blockAt + 4))
      if (hasToken) rows.setValue(row, TOKEN, addresses.addBytes(records, at + keyBytes))
      if (quote !== null) rows.setValue(row, QUOTE, quote)
    }
  }

  remove(key: Hex): void {
    const table = this.#byLength.get(key.length)
    const row = table?.rows.find(key) ?? NO_ROW
    if (table !== undefined && row !== NO_ROW) this.#clearRow(table, row)
  }

  /** Removes the sources of blocks after `last`. Costs a look at every row. */
  forgetAfter(last: number): void {
    for (const table of this.#byLength.values()) {
      for (let row = 0; row < table.rows.size; row++) if (blockOf(table, row) > last) this.#clearRow(table, row)
    }
  }

  /** The addresses that are sources now. */
  addresses(): KeySet<Address> {
    return this.#keysOf(this.#addresses, () => true) as KeySet<Address>
  }

  /** The ids of the pools inside a Uniswap v4 PoolManager that are sources now. */
  poolIds(): KeySet<Hex> {
    return this.#keysOf(this.#ids, ({ pool }) => pool?.type === 'uniswap-v4')
  }

  #keysOf({ rows, counts }: SourceTable, wanted: (template: Template) => boolean): KeySet<Hex> {
    const isWanted = this.#templates.map(template => template !== null && wanted(template))
    const { size } = rows
    const has = (row: number) => row < size && isWanted[rows.value(row, TEMPLATE)] === true
    return {
      size: counts.reduce((sum, count, number) => sum + (isWanted[number] === true ? count : 0), 0),
      has: key => {
        const row = rows.find(key)
        return row !== NO_ROW && has(row)
      },
      *[Symbol.iterator]() {
        for (let row = 0; row < size; row++) if (has(row)) yield rows.keyAt(row)
      },
    }
  }

  #write(table: SourceTable, row: number, number: number, blockHigh: number, block: number): void {
    this.#clearRow(table, row)
    table.counts[number] = (table.counts[number] ?? 0) + 1
    table.rows.setValue(row, TEMPLATE, number)
    table.rows.setValue(row, BLOCK, block)
    table.rows.setValue(row, BLOCK_HIGH, blockHigh)
  }

  #clearRow({ rows, counts }: SourceTable, row: number): void {
    const number = rows.value(row, TEMPLATE)
    if (number === 0) return
    counts[number] = (counts[number] ?? 0) - 1
    rows.setValue(row, TEMPLATE, 0)
    this.#kept.clear()
  }

  #numberOf(source: LogSource): number {
    const head = {
      role: source.role,
      launchpad: source.launchpad,
      ...('tokenDecimals' in source && { tokenDecimals: source.tokenDecimals }),
    }
    const pool = 'pool' in source ? poolTemplate(source.pool) : null
    const template: Template = { head, hasToken: 'token' in source, pool }
    const text = JSON.stringify(template)
    const known = this.#templateNumbers.get(text)
    if (known !== undefined) return known
    this.#templateNumbers.set(text, this.#templates.length)
    return this.#templates.push(template) - 1
  }

  #sourceAt(table: SourceTable, row: number, { head, hasToken, pool }: Template, key: Hex): LogSource {
    if (!hasToken) return head as LogSource
    const addressAt = (value: number) => this.#addresses.rows.keyAt(table.rows.value(row, value)) as Address
    const token = addressAt(TOKEN)
    if (pool === null) return { ...head, token } as LogSource
    const address = table === this.#positions ? addressAt(POOL) : key
    return { ...head, token, pool: { ...pool, address, quoteToken: addressAt(QUOTE) } } as LogSource
  }
}

function poolTemplate({ type, tokenIsToken0, feeBps }: SourcePool): Template['pool'] {
  return { type, tokenIsToken0, feeBps }
}

function tableOf(keyBytes: number, values: number): SourceTable {
  return { rows: new PackedTable(keyBytes, values), counts: [] }
}

function blockOf({ rows }: SourceTable, row: number): number {
  return rows.value(row, BLOCK_HIGH) * WORD + rows.value(row, BLOCK)
}
