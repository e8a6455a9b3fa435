import type { z } from 'zod'
import type { Answer } from '#gateway/http/answer.ts'
import { invalidParameter, type Problem, problem, unavailable } from '#gateway/http/problem.ts'
import { defineRoute, type Route, type RouteDescription } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import type { BlockRange, FinalBlock, PairEvent } from '#resources/marketData.ts'
import { integerParameter } from '#resources/parameters.ts'
import type { NO_PARAMETERS } from '#resources/resource.ts'

/** Most blocks of a request. A site catches up with a day of blocks in a second or two. */
const MAX_BLOCKS = 1_000
/** Most events of an answer: about 5 MB. */
const MAX_EVENTS = 10_000

const blockNumber = integerParameter(0, Number.MAX_SAFE_INTEGER)

export const RANGE_PARAMETERS = {
  fromBlock: blockNumber.describe('Number of the first block, inclusive.'),
  toBlock: blockNumber.describe(
    `Number of the last block, inclusive. The range has at most ${MAX_BLOCKS} blocks, none above the newest final one.`,
  ),
}

interface SiteRouteOptions<S extends z.ZodObject> extends Pick<RouteDescription, 'id' | 'summary'> {
  readonly path: string
  readonly answer: z.ZodType
  readonly parameters?: S
  readonly problems?: RouteDescription['problems']
  /** @param latest the newest final block */
  handle(values: z.output<S>, latest: FinalBlock): Promise<Answer | Problem>
}

/** A route for market-data sites, answered from final blocks only. It fails while no block is final. */
export function siteRoute<S extends z.ZodObject = typeof NO_PARAMETERS>(
  { reads }: Pick<Sources, 'reads'>,
  { path, id, summary, answer, parameters, problems = [], handle }: SiteRouteOptions<S>,
): Route {
  return defineRoute(
    {
      path,
      ...(parameters && { parameters }),
      cacheControl: 'seconds',
      outdatedBy: 'commit',
      description: { id, tag: 'Integrations', summary, answer, problems: [...problems, 'data_unavailable'] },
    },
    async (values): Promise<Answer | Problem> => {
      const latest = await reads.finality()
      if (latest === null) return unavailable('data_unavailable', 'no indexed block is final yet')
      return handle(values, latest)
    },
  )
}

interface SiteEvents {
  readonly kind: 'events'
  readonly events: readonly PairEvent[]
}

/** All events of a range of final blocks, or why there is no answer. */
export async function readEvents({ reads }: Pick<Sources, 'reads'>, range: BlockRange, latest: FinalBlock): Promise<SiteEvents | Problem> {
  const { fromBlock, toBlock } = range
  if (fromBlock > toBlock) return invalidParameter(`fromBlock must not be above toBlock, got ${fromBlock} and ${toBlock}`)
  if (toBlock - fromBlock >= MAX_BLOCKS) return invalidParameter(`a range must have at most ${MAX_BLOCKS} blocks`)
  if (toBlock > latest.number) return invalidParameter(`toBlock must not be above the latest block, which is ${latest.number}`)
  const events = await reads.pairEvents(range, MAX_EVENTS)
  if (events === 'tooMany') return invalidParameter(`the range has more than ${MAX_EVENTS} events; ask for fewer blocks`)
  if (events === 'unread') return unavailable('data_unavailable', 'the decimals of a quote currency have not been read yet')
  return { kind: 'events', events }
}

export function notFound(what: 'pair' | 'asset' | 'exchange' | 'block', id: string): Problem {
  return problem(404, 'not_found', `there is no ${what} ${id} in any final block`)
}
