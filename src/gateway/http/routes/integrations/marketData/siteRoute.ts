import type { z } from 'zod'
import type { Answer } from '#gateway/http/answer.ts'
import { invalidParameter, type Problem, problem, unavailable } from '#gateway/http/problem.ts'
import { defineRoute, type Route, type RouteDescription } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import type { BlockRange, FinalBlock, PairEvent } from '#resources/marketData.ts'
import { integerParameter } from '#resources/parameters.ts'
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
