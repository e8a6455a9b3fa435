import type { Address } from '#domain/address.ts'
import type { ListResource, Page, Resource } from '#resources/resource.ts'
import { LISTS, SINGLE, TOKEN_LISTS } from '#resources/resources.ts'
import type { PresentPrices } from '#resources/usd.ts'
import { jsonAnswer } from './answer.ts'
import { type Cursor, decodeCursor, listBody } from './cursor.ts'
import { encodeList } from './encodeList.ts'
import { launchingEntries } from './launchingEntries.ts'
import { invalidParameter, type Problem, problem, problemOfLaunchpads, tokenNotFound, unavailable } from './problem.ts'
import { type Route, resourceRoute } from './route.ts'
import type { Sources } from './sources.ts'

type ReadSources = Pick<Sources, 'reads' | 'ethUsd' | 'config' | 'chainId'>
type Values = Readonly<Record<string, unknown>>
type Valued = (value: unknown, prices: PresentPrices) => unknown
type Priced = (query: Values, ethUsd: string | null) => Values | null
type Read<Answer> = (query: Values) => Promise<Answer | null>

/** The routes of all resources that are read from the database. */
export function readRoutes(sources: ReadSources): readonly Route[] {
  return [
    ...Object.entries({ ...LISTS, ...TOKEN_LISTS }).map(([name, list]) =>
      listRoute(list as unknown as ListResource, readOf(sources, name), sources),
    ),
    ...Object.entries(SINGLE).map(([name, one]) => singleRoute(one as unknown as Resource, readOf(sources, name), sources)),
  ]
}

/** The read of a resource, which has the same name in `Reads` as in the tables of resources. */
function readOf<Answer>(sources: ReadSources, name: string): Read<Answer> {
  return async query => {
    const read = (sources.reads as unknown as Readonly<Record<string, Read<Answer>>>)[name]
    if (read === undefined) throw new TypeError(`there is no read ${name}`)
    return read(query)
  }
}

function listRoute(list: ListResource, read: Read<Page<unknown, Cursor>>, sources: ReadSources): Route {
  const { chainId } = sources
  const valued = list.valued as Valued | undefined
  const priced = list.priced as Priced | undefined
  return resourceRoute(list, async ({ cursor: text, ...values }: Values) => {
    // `after` only says where the first page begins.
    const { limit, after: _, ...filters } = values
    const refused = refusal(list, values, sources)
    if (refused !== null) return refused
    const fields = list.cursor?.(values) ?? null
    const identity = { id: list.id, chainId, query: filters }
    const after = fields === null || text === undefined ? null : decodeCursor(fields, text as string, identity)
    if (after !== null && after.kind === 'invalid') return after.problem
    const start = after?.cursor ?? list.start?.(values) ?? null
    // The rows are valued at the price that the filters use.
    const prices = pricesOf(sources)
    const query = { ...filters, limit: list.rows?.(values) ?? limit, ...(start !== null && { cursor: start }) }
    const inWeth = priced === undefined ? query : priced(query, prices.ethUsd)
    if (inWeth === null)
      return unavailable('price_unavailable', 'filters in USD need the price of ETH, which no provider gives at the moment')
    const page = await read(inWeth)
    if (page === null) return tokenNotFound(values['address'] as Address)
    if (page.notKept !== undefined) return problem(410, 'not_kept', page.notKept)
    return encodeList(listBody(page, fields, identity), item => valued?.(item, prices) ?? item, prices.ethUsd)
  })
}

function refusal(list: ListResource, values: Values, { config }: ReadSources): Problem | null {
  const contradiction = list.contradiction?.(values) ?? null
  if (contradiction !== null) return invalidParameter(contradiction)
  const named = values['launchpad'] as string | readonly string[] | undefined
  return problemOfLaunchpads(named === undefined ? [] : [named].flat(), launchingEntries(config.launchpads))
}

function singleRoute(resource: Resource, read: Read<unknown>, sources: ReadSources): Route {
  const valued = resource.valued as Valued | undefined
  return resourceRoute(resource, async (values: Values) => {
    const answer = await read(values)
    if (answer === null) return tokenNotFound(values['address'] as Address)
    return jsonAnswer(valued?.(answer, pricesOf(sources)) ?? answer)
  })
}

function pricesOf({ ethUsd, config }: ReadSources): PresentPrices {
  return { ethUsd: ethUsd.ethUsd(), currencies: config.launchpads }
}
