import { getAddress } from 'viem/utils'
import { z } from 'zod'
import type { Hex } from '#domain/address.ts'
import type { Answer } from '#gateway/http/answer.ts'
import { invalidParameter, type Problem, problem, unavailable } from '#gateway/http/problem.ts'
import { defineRoute, type Route, type RouteDescription } from '#gateway/http/route.ts'
import { type Sources } from '#gateway/http/sources.ts'
import type { BlockRange, FinalBlock, ListedAsset, ListedPair, PairEvent, SideAmounts } from '#resources/marketData.ts'
import { addressParameter, integerParameter } from '#resources/parameters.ts'
import { NO_PARAMETERS } from '#resources/resource.ts'

/** The most blocks of a request. A site catches up with a day of blocks in a second or two. */
const MAX_BLOCKS = 1_000
/** The most events of an answer, which has about 5 MB then. */
const MAX_EVENTS = 10_000

const blockNumber = integerParameter(0, Number.MAX_SAFE_INTEGER)

export const RANGE_PARAMETERS = {
  fromBlock: blockNumber.describe('Number of the first block, inclusive.'),
  toBlock: blockNumber.describe(
    `Number of the last block, inclusive. The range has at most ${MAX_BLOCKS} blocks, none above the newest final one.`,
  ),
}

export interface SiteRouteOptions<S extends z.ZodObject> {
  /** The site's own part of paths. */
  readonly folder: string
  /** The site's name in operation ids, and for people. */
  readonly name: string
  readonly site: string
  /** The path below the base path that the site is given. */
  readonly path: string
  readonly operation: string
  readonly summary: string
  readonly answer: z.ZodType
  readonly parameters?: S
  readonly problems?: RouteDescription['problems']
  handle(values: z.output<S>, shown: Shown): Promise<Answer | Problem>
}

/** The blocks and pairs that a base path shows. */
export interface Shown {
  /** The newest final block. */
  readonly latest: FinalBlock
  /** The join that brought the pairs; `null`: the pairs that are not late. */
  readonly joined: number | null
}

const JOINED_PARAMETERS = {
  joined: blockNumber.describe('The block that names the join, as in the log and in `npm run launchpads -- status`.'),
}

/**
 * A route for market-data sites, answered from final blocks only, below the site's base path and below that of each join that brought pairs
 * with a history. It fails while no block is final.
 */
export function pathsOfSite<S extends z.ZodObject = typeof NO_PARAMETERS>(
  { reads, feed }: Pick<Sources, 'reads' | 'feed'>,
  {
    folder,
    name,
    site,
    path,
    operation,
    summary,
    answer,
    parameters = NO_PARAMETERS as z.ZodObject as S,
    problems = [],
    handle,
  }: SiteRouteOptions<S>,
): readonly Route[] {
  const common = { cacheControl: 'seconds', outdatedBy: 'commit' } as const
  const described = { tag: 'Integrations', answer } as const
  const answered = async (values: z.output<S>, joined: number | null): Promise<Answer | Problem> => {
    const latest = await reads.finality()
    if (latest === null) return unavailable('data_unavailable', 'no indexed block is final yet')
    const isKnown = joined === null || (await reads.hasLatePairs(joined))
    const outcome = isKnown ? await handle(values, { latest, joined }) : notFound('join', String(joined))
    const isBehind = feed().behindBlocks !== 0
    return outcome.kind === 'problem' && outcome.code === 'not_found' && isBehind ? notYet(`${outcome.detail} that is shown here`) : outcome
  }
  return [
    defineRoute(
      {
        ...common,
        path: `/${folder}/${path}`,
        parameters,
        description: {
          ...described,
          id: `get${name}${operation}`,
          summary: `For ${site}: ${summary}`,
          problems: [...problems, 'data_unavailable'],
        },
      },
      values => answered(values, null),
    ),
    defineRoute(
      {
        ...common,
        path: `/${folder}/joined/:joined/${path}`,
        parameters: parameters.extend(JOINED_PARAMETERS),
        description: {
          ...described,
          id: `getJoined${name}${operation}`,
          summary: `For ${site}, of the pairs that joined with a history: ${summary}`,
          problems: [...new Set([...problems, 'not_found', 'data_unavailable'] as const)],
          repeats: { below: `/${folder}`, at: `/${folder}/joined/:joined`, how: `for ${site}, of the pairs that joined with a history` },
        },
      },
      ({ joined, ...values }) => answered(values as z.output<S>, joined as number),
    ),
  ]
}

interface SiteEvents {
  readonly kind: 'events'
  readonly events: readonly PairEvent[]
}

/** All events of a range of final blocks, or why there is no answer. */
export async function readEvents(
  { reads }: Pick<Sources, 'reads'>,
  range: BlockRange,
  { latest, joined }: Shown,
): Promise<SiteEvents | Problem> {
  const { fromBlock, toBlock } = range
  if (fromBlock > toBlock) return invalidParameter(`fromBlock must not be above toBlock, got ${fromBlock} and ${toBlock}`)
  if (toBlock - fromBlock >= MAX_BLOCKS) return invalidParameter(`a range must have at most ${MAX_BLOCKS} blocks`)
  if (toBlock > latest.number) return notYet(`the latest final block is ${latest.number}, got toBlock ${toBlock}`)
  const events = await reads.pairEvents(range, MAX_EVENTS, joined)
  if (events === 'tooMany') return invalidParameter(`the range has more than ${MAX_EVENTS} events; ask for fewer blocks`)
  if (events === 'unread') return unavailable('data_unavailable', 'the decimals of a quote currency have not been read yet')
  return { kind: 'events', events }
}

/**
 * The problem of what may be there soon: another gateway may show later blocks than this one. A site takes another status for a final
 * answer, and leaves a range or a pair out for good.
 */
export function notYet(detail: string): Problem {
  return unavailable('data_unavailable', `${detail}; ask again later`)
}

export function notFound(what: 'pair' | 'asset' | 'exchange' | 'block' | 'join', id: string): Problem {
  return problem(404, 'not_found', `there is no ${what} ${id} in any final block`)
}

/* Answers in the format of DEX Screener and GeckoTerminal: asset0 is the token, asset1 its quote currency. */

export function toSiteBlock({ number, timestamp }: { readonly number: number; readonly timestamp: number }) {
  return { blockNumber: number, blockTimestamp: timestamp }
}

export function toSiteAsset({ id, name, symbol, totalSupply, circulatingSupply, links }: ListedAsset) {
  return {
    id: siteId(id),
    name,
    symbol,
    ...(totalSupply !== null && { totalSupply }),
    ...(circulatingSupply !== null && { circulatingSupply }),
    // The first link of each kind.
    ...(links.length > 0 && { metadata: Object.fromEntries(links.toReversed().map(({ kind, url }) => [kind, url])) }),
  }
}

export function toSitePair({ id, launchpad, token, quoteToken, createdBlock, createdAt, creationTxHash, creator, feeBps }: ListedPair) {
  return {
    id: siteId(id),
    dexKey: launchpad,
    asset0Id: siteId(token),
    asset1Id: siteId(quoteToken),
    createdAtBlockNumber: createdBlock,
    createdAtBlockTimestamp: createdAt,
    createdAtTxnId: creationTxHash,
    creator: siteId(creator),
    ...(feeBps !== null && { feeBps }),
  }
}

/** The events of one log; none for the creation of a pair, which these sites read from the pair itself. */
export function toSiteEvents(event: PairEvent) {
  if (event.kind === 'creation') return []
  const { blockNumber, timestamp, txHash, txIndex, logIndex, maker, pair, reserves } = event
  return [
    {
      block: toSiteBlock({ number: blockNumber, timestamp }),
      eventType: event.kind,
      txnId: txHash,
      txnIndex: txIndex,
      eventIndex: logIndex,
      maker: siteId(maker),
      pairId: siteId(pair),
      ...(event.kind === 'swap'
        ? { ...toSwapAmounts(event.side, event.amounts), priceNative: event.price }
        : { amount0: event.amounts.token, amount1: event.amounts.quote }),
      ...(reserves !== null && { reserves: toSiteReserves(reserves) }),
    },
  ]
}

/** The amounts that went into the pair and came out of it, as plain decimals. */
export function toSwapAmounts(side: 'buy' | 'sell', { token, quote }: SideAmounts) {
  return side === 'buy' ? { asset1In: quote, asset0Out: token } : { asset0In: token, asset1Out: quote }
}

export function toSiteReserves({ token, quote }: SideAmounts) {
  return { asset0: token, asset1: quote }
}

const ADDRESS_LENGTH = 42

/** An id as explorers write it: an address in its EIP-55 checksum case. A Uniswap v4 pool id has no checksum. */
export function siteId(id: Hex): string {
  return id.length === ADDRESS_LENGTH ? getAddress(id) : id
}

export const pairParameter = z
  .string({ error: 'an address or a pool id (0x and 40 or 64 hex digits)' })
  .regex(/^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/)
  .toLowerCase()
  .describe('The pair: the address of its pool or curve, or a Uniswap v4 pool id, in any letter case.') as unknown as z.ZodType<Hex, string>

export const assetParameter = addressParameter.describe('Address of the asset, in any letter case.')
