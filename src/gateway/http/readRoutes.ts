import { hash } from 'node:crypto'
import type { z } from 'zod'
import type { Address } from '#domain/address.ts'
import { LISTS, SINGLE, TOKEN_LISTS } from '#resources/reads.ts'
import type { ListResource, Page, Resource } from '#resources/resource.ts'
import type { PresentPrices } from '#resources/values.ts'
import { type Answer, jsonAnswer, jsonTextAnswer } from './answer.ts'
import { invalidParameter, type Problem, problem, problemOfLaunchpads, tokenNotFound, unavailable } from './problem.ts'
import { launchingEntries, type Route, resourceRoute } from './route.ts'
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

/** The JSON of each row in UTF-8. Reads give the same object for a row that has not changed. */
const encoded = new WeakMap<object, { readonly ethUsd: string | null; readonly json: Buffer }>()

const HEAD = Buffer.from('{"data":[')
const COMMA = Buffer.from(',')

/** A list in JSON. Each row is encoded once per price of ETH, and a list copies its bytes. */
function encodeList({ data, ...page }: ListBody<unknown>, valued: (row: unknown) => unknown, ethUsd: string | null): Answer {
  const encode = (row: unknown): Buffer => {
    const known = encoded.get(row as object)
    if (known?.ethUsd === ethUsd) return known.json
    const json = Buffer.from(JSON.stringify(valued(row)))
    encoded.set(row as object, { ethUsd, json })
    return json
  }
  const rows = data.flatMap((row, index) => (index === 0 ? [encode(row)] : [COMMA, encode(row)]))
  return jsonTextAnswer(Buffer.concat([HEAD, ...rows, Buffer.from(`],${JSON.stringify(page).slice(1)}`)]))
}

/** The version of cursors. It rises when a field changes its meaning, so that older cursors are refused instead of misread. */
const VERSION = 3

/** The longest text that is decoded, which is longer than any cursor of this service. */
const MAX_CURSOR_LENGTH = 512

interface ListBody<T> {
  readonly data: readonly T[]
  readonly nextCursor: string | null
  readonly asOfBlock: string | null
}

/** The identity of a list. A cursor is valid for its own list only. */
export interface ListIdentity {
  /** The `id` of the resource. */
  readonly id: string
  readonly chainId: number
  /** Every parameter that decides which rows come in which order. */
  readonly query: unknown
}

/** Encodes the cursor of the next page. `fields`: those of the list's cursors; `null`: the list has one page. */
function listBody<T>(page: Page<T, Cursor>, fields: z.ZodObject | null, list: ListIdentity): ListBody<T> {
  const nextCursor = page.next === null || fields === null ? null : encodeCursor(fields, page.next, list)
  return { data: page.data, nextCursor, asOfBlock: page.asOfBlock }
}

/** A decoded cursor: the place in a list after which a page begins, by the fields of its schema. */
export type Cursor = Readonly<Record<string, unknown>>

/** The `nextCursor` of a page: a JSON list of the values in the order of their schema, in base64url, bound to the list and the chain. */
export function encodeCursor(fields: z.ZodObject, cursor: Cursor, list: ListIdentity): string {
  const values = Object.keys(fields.shape).map(name => cursor[name])
  return Buffer.from(JSON.stringify([VERSION, fingerprint(list), ...values])).toString('base64url')
}

/** Decodes a cursor. Gives the problem `invalid_parameter` for one of another list, chain or version. */
export function decodeCursor(
  fields: z.ZodObject,
  text: string,
  list: ListIdentity,
): { readonly kind: 'valid'; readonly cursor: Cursor } | { readonly kind: 'invalid'; readonly problem: Problem } {
  const [version, print, ...values] = listOf(text)
  const cursor = fields.safeParse(Object.fromEntries(Object.keys(fields.shape).map((name, index) => [name, values[index]])))
  if (version === VERSION && print === fingerprint(list) && cursor.success) return { kind: 'valid', cursor: cursor.data }
  const detail = `cursor must be the nextCursor of an answer of chain ${list.chainId} to the same request (only limit may differ)`
  return { kind: 'invalid', problem: invalidParameter(detail) }
}

function listOf(text: string): readonly unknown[] {
  if (text.length > MAX_CURSOR_LENGTH || !/^[\w-]+$/.test(text)) return []
  try {
    const list: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return Array.isArray(list) ? list : []
  } catch {
    return []
  }
}

function fingerprint({ id, chainId, query }: ListIdentity): string {
  return hash('sha1', JSON.stringify([id, chainId, query]), 'base64url').slice(0, 8)
}
