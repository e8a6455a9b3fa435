import { type Kysely, sql } from 'kysely'
import { type Address, ZERO_ADDRESS } from '#domain/address.ts'
import type { Block } from './chain.ts'
import { curveOf, SUPPLY, weiOf } from './market.ts'

/*
 * What should be indexed and what is, both as lines of text: a line for each trade, each balance, and each token with its totals. So a trade
 * that is missing, doubled or of a replaced block shows, and a total to which one was added twice.
 */

interface Expected {
  readonly name: string
  readonly symbol: string
  readonly creator: Address
  supply: bigint
  trades: number
  readonly balances: Map<Address, bigint>
}

/** The lines that these blocks, the first of the chain, amount to. */
export function linesOfChain(blocks: readonly Block[]): readonly string[] {
  const tokens = new Map<Address, Expected>()
  const trades: string[] = []
  const move = (token: Expected, from: Address, to: Address, amount: bigint): void => {
    if (from === ZERO_ADDRESS) token.supply += amount
    else token.balances.set(from, (token.balances.get(from) ?? 0n) - amount)
    token.balances.set(to, (token.balances.get(to) ?? 0n) + amount)
  }
  for (const block of blocks) {
    for (const { event, logIndex, txHash } of block.events) {
      if (event.kind === 'launch') {
        const { name, symbol, creator } = event
        const launched: Expected = { name: shown(name), symbol: shown(symbol), creator, supply: 0n, trades: 0, balances: new Map() }
        tokens.set(event.token, launched)
        move(launched, ZERO_ADDRESS, curveOf(event.token), SUPPLY)
        continue
      }
      const token = tokens.get(event.token)
      if (token === undefined || event.kind === 'broken') continue
      if (event.kind === 'transfer') move(token, event.from, event.to, event.amount)
      else {
        const { side, maker, amount } = event
        const curve = curveOf(event.token)
        if (side === 'buy') move(token, curve, maker, amount)
        else move(token, maker, curve, amount)
        token.trades++
        trades.push(`trade ${block.number}-${logIndex} ${event.token} ${side} ${maker} ${amount} ${weiOf(amount)} ${txHash} ${block.hash}`)
      }
    }
  }
  return [...trades, ...[...tokens].flatMap(([address, token]) => linesOfToken(address, token))]
}

function linesOfToken(address: Address, { name, symbol, creator, supply, trades, balances }: Expected): readonly string[] {
  const held = [...balances].filter(([, balance]) => balance !== 0n)
  const holders = held.filter(([, balance]) => balance > 0n).length
  return [
    `token ${address} ${name} ${symbol} ${creator} supply ${supply} trades ${trades} holders ${holders}`,
    ...held.map(([holder, balance]) => `balance ${address} ${holder} ${balance}`),
  ]
}

/** PostgreSQL's texts can't hold NUL. An empty text is null, which `format` shows as nothing. */
const shown = (text: string) => text.replaceAll('\0', '')

export interface IndexContents {
  /** The newest indexed block; `null`: none. */
  readonly cursor: { readonly number: number; readonly hash: string } | null
  readonly lines: readonly string[]
}

/** The newest indexed block; `null`: none. */
export async function readCursor(db: Kysely<unknown>): Promise<IndexContents['cursor']> {
  const { rows } = await sql<{
    number: number | null
    hash: string
  }>`select cursor_number as number, cursor_hash as hash from chain_state`.execute(db)
  const [row] = rows
  return row === undefined || row.number === null ? null : { number: row.number, hash: row.hash }
}

/** What the tables hold at one moment. */
export async function readIndex(db: Kysely<unknown>): Promise<IndexContents> {
  const { rows } = await sql<{ number: number | null; hash: string | null; lines: readonly string[] | null }>`
    select cursor_number as number, cursor_hash as hash, (
      select array_agg(line) from (
        select format('trade %s-%s 0x%s %s 0x%s %s %s 0x%s 0x%s', block_number, log_index, encode(token, 'hex'), side, encode(maker, 'hex'),
          amount_token, coalesce(amount_quote, amount_wei), encode(tx_hash, 'hex'), encode(block_hash, 'hex')) from trade
        union all
        select format('balance 0x%s 0x%s %s', encode(token, 'hex'), encode(holder, 'hex'), balance) from balance where balance <> 0
        union all
        select format('token 0x%s %s %s 0x%s supply %s trades %s holders %s', encode(address, 'hex'), name, symbol, encode(creator, 'hex'),
          total_supply, trade_count, holder_count) from token
      ) as lines (line)) as lines
    from chain_state`.execute(db)
  const [row] = rows
  const isEmpty = row === undefined || row.number === null || row.hash === null
  return { cursor: isEmpty ? null : { number: row.number as number, hash: row.hash as string }, lines: row?.lines ?? [] }
}

/** How the lines differ, each with an example; none when they are the same. */
export function differences(expected: readonly string[], found: readonly string[]): readonly string[] {
  const wanted = new Set(expected)
  const seen = new Set(found)
  const groups = {
    missing: expected.filter(line => !seen.has(line)),
    'not on the chain': found.filter(line => !wanted.has(line)),
    twice: found.length === seen.size ? [] : found.filter((line, index) => found.indexOf(line) !== index),
  }
  return Object.entries(groups).flatMap(([what, lines]) => (lines.length === 0 ? [] : [`${lines.length} ${what}: ${lines[0]}`]))
}
