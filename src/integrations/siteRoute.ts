import { getAddress } from 'viem/utils'
import { z } from 'zod'
import type { LaunchpadConfig } from '#config'
import type { Hex } from '#domain/address.ts'
import type { Answer } from '#gateway/http/answer.ts'
import { invalidParameter, type Problem, problem, quote, unavailable } from '#gateway/http/problem.ts'
import { defineRoute, launchingEntries, type Route } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import type { BlockRange, FinalBlock, ListedAsset, ListedPair, PairEvent, SideAmounts } from '#resources/marketData.ts'
import { addressParameter, integerParameter, textParameter } from '#resources/parameters.ts'
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

/** A market-data site. */
export interface SiteNames {
  /** The site's part of paths. */
  readonly folder: string
  /** Its name in operation ids. */
  readonly id: string
  /** Its name for people. */
  readonly title: string
}

interface SiteRouteOptions<S extends z.ZodObject> {
  /** The path below the base path that the site is given. */
  readonly path: string
  readonly operation: string
  readonly summary: string
  readonly answer: z.ZodType
  readonly parameters?: S
  handle(values: z.output<S>, shown: Shown): Promise<Answer | Problem>
}

/** What a base path shows. */
export interface Shown {
  readonly launchpad: LaunchpadConfig
  /** The newest final block. */
  readonly latest: FinalBlock
}

/** Makes a site's routes, below a base path for each launchpad. They are answered from final blocks only, and fail while none is final. */
export function siteRoutes({ reads, feed, config }: Pick<Sources, 'reads' | 'feed' | 'config'>, { folder, id, title }: SiteNames) {
  return <S extends z.ZodObject = typeof NO_PARAMETERS>({
    path,
    operation,
    summary,
    answer,
    parameters = NO_PARAMETERS as z.ZodObject as S,
    handle,
  }: SiteRouteOptions<S>): Route =>
    defineRoute(
      {
        path: `/${folder}/:launchpad/${path}`,
        parameters: parameters.extend({ launchpad: sitesLaunchpad }),
        cacheControl: 'seconds',
        outdatedBy: 'commit',
        description: {
          id: `get${id}${operation}`,
          tag: 'Integrations',
          summary: `For ${title}: ${summary}`,
          answer,
          problems: ['not_found', 'data_unavailable'],
        },
      },
      async ({ launchpad: name, ...values }) => {
        const latest = await reads.finality()
        if (latest === null) return unavailable('data_unavailable', 'no indexed block is final yet')
        const launchpad = findLaunchpad(name as string, config)
        const outcome =
          launchpad.kind === 'problem' ? launchpad : await handle(values as z.output<S>, { launchpad: launchpad.found, latest })
        const isBehind = feed().behindBlocks !== 0
        return outcome.kind === 'problem' && outcome.code === 'not_found' && isBehind
          ? notYet(`${outcome.detail} that is shown here`)
          : outcome
      },
    )
}

/** In the path of each route whose site lists exchanges one at a time. */
export const sitesLaunchpad = textParameter(64).describe('Name of the launchpad, as in `/api/launchpads`.')

interface FoundLaunchpad {
  readonly kind: 'found'
  readonly found: LaunchpadConfig
}

export function findLaunchpad(name: string, { launchpads }: Pick<Sources['config'], 'launchpads'>): FoundLaunchpad | Problem {
  const found = launchingEntries(launchpads).find(launchpad => launchpad.name === name)
  return found === undefined ? problem(404, 'not_found', `there is no launchpad ${quote(name)} in the index`) : { kind: 'found', found }
}

interface SiteEvents {
  readonly kind: 'events'
  readonly events: readonly PairEvent[]
}

/** All events of a range of final blocks, or why there is no answer. */
export async function readEvents(
  { reads }: Pick<Sources, 'reads'>,
  range: BlockRange,
  { latest, launchpad }: Shown,
): Promise<SiteEvents | Problem> {
  const { fromBlock, toBlock } = range
  if (fromBlock > toBlock) return invalidParameter(`fromBlock must not be above toBlock, got ${fromBlock} and ${toBlock}`)
  if (toBlock - fromBlock >= MAX_BLOCKS) return invalidParameter(`a range must have at most ${MAX_BLOCKS} blocks`)
  if (toBlock > latest.number) return notYet(`the latest final block is ${latest.number}, got toBlock ${toBlock}`)
  const events = await reads.pairEvents(launchpad.name, range, MAX_EVENTS)
  if (events === 'tooMany') return invalidParameter(`the range has more than ${MAX_EVENTS} events; ask for fewer blocks`)
  if (events === 'unread') return unavailable('data_unavailable', 'the decimals of a quote currency have not been read yet')
  return { kind: 'events', events }
}

/** `null`: no final block has such a pair of the launchpad. */
export async function readPairOf({ reads }: Pick<Sources, 'reads'>, id: Hex, { name }: LaunchpadConfig): Promise<ListedPair | null> {
  const pair = await reads.pair(id)
  return pair?.launchpad === name ? pair : null
}

/**
 * The problem of what may be there soon: another gateway may show later blocks than this one. A site takes another status for a final
 * answer, and leaves a range or a pair out for good.
 */
export function notYet(detail: string): Problem {
  return unavailable('data_unavailable', `${detail}; ask again later`)
}

export function notFound(what: 'pair' | 'asset' | 'exchange' | 'block', id: string): Problem {
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
