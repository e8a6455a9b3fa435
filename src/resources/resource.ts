import { z } from 'zod'
import type { Address } from '#domain/address.ts'
import type { ProblemCode } from './problem.ts'
import { INT32_MAX, integerText, MAX_UNIX_SECONDS, type PresentPrices, type Wire } from './values.ts'

export const TAGS = {
  Tokens: 'Tokens, and what belongs to one of them.',
  Market: 'What happens over all tokens, totals of the index, and the price of ETH.',
  Wallets: 'What an account did over all tokens.',
  Realtime: 'Confirmed updates as they happen.',
  Integrations: 'For market-data sites and chart libraries, in the formats that they require.',
  Health: 'For supervisors, balancers and operators.',
  Descriptions: 'Descriptions of this API.',
} as const

/**
 * How long caches may keep an answer:
 *
 * - `revalidate`: they ask every time, and a 304 has no body. A page must never show a state older than an update that it has received.
 * - `seconds`: aggregates, which are not compared with updates.
 * - `never`: answers about the present moment.
 * - `forever`: files whose address changes with their contents.
 */
export type CacheControl = 'revalidate' | 'seconds' | 'never' | 'forever'

/** What outdates an answer that the service keeps: a commit that changes the token of its path, or any commit. */
export type OutdatedBy = 'tokenChange' | 'commit'

/** The parameters that a request gives, as texts by name. */
export type GivenNames = Pick<ReadonlyMap<string, readonly string[]>, 'has' | 'get'>

/** What the API shows at one path. */
export interface Resource<Parameters extends z.ZodObject = z.ZodObject, Answer extends z.ZodType = z.ZodType> {
  /** `operationId` of OpenAPI. */
  readonly id: string
  readonly tag: keyof typeof TAGS
  /** Segments that begin with `:` are parameters. */
  readonly path: string
  /** A sentence without a full stop. */
  readonly summary: string
  readonly parameters: Parameters
  readonly answer: Answer
  readonly cacheControl: CacheControl
  /** `null`: the service keeps no answer. */
  readonly outdatedBy: OutdatedBy | ((given: GivenNames) => OutdatedBy) | null
  /** Problems besides those that follow from parameters, access and limits. */
  readonly problems: readonly ProblemCode[]
  /** `operator`: for operators only; `both`: for everyone, with more detail for operators. Default: `public`. */
  readonly access?: 'operator' | 'both'
  /** Whether requests count against `RATE_LIMIT_PER_MINUTE`. Default: true. */
  readonly limited?: boolean
  /** A status besides 200 that has the same body. */
  readonly alsoStatus?: 503
  /** Fills in the values that depend on the present price of ETH. */
  readonly valued?: (answer: Wire<Answer>, prices: PresentPrices) => Wire<Answer>
}

/** A list that is read page by page. */
export interface ListResource<
  Parameters extends z.ZodObject = z.ZodObject,
  Item extends z.ZodType = z.ZodType,
  Cursor extends z.ZodObject = z.ZodObject,
> extends Omit<Resource<Parameters>, 'valued'> {
  readonly item: Item
  /** The fields of the place after which a page begins. `null`: the list has one page. */
  readonly cursor: ((values: z.output<Parameters>) => Cursor) | null
  /** The number of rows of a page. Default: the parameter `limit`. */
  readonly rows?: (values: z.output<Parameters>) => number
  /** Why values contradict each other, though each is valid; `null`: they don't. */
  readonly contradiction?: (values: z.output<Parameters>) => string | null
  /** The place after which the first page begins. Default: none. */
  readonly start?: (values: z.output<Parameters>) => z.output<Cursor> | null
  /**
   * The query that is read, with amounts in USD turned into WETH; `null`: it needs a price of ETH, and there is none. Default: the same.
   */
  readonly priced?: (query: Query<Wire<Parameters>, Wire<Cursor>>, ethUsd: string | null) => object | null
  readonly valued?: (item: Wire<Item>, prices: PresentPrices) => Wire<Item>
}

/** What a list is read by: the values of its parameters, a number of rows, and the place after which the page begins. */
export type QueryOf<List extends ListResource> =
  List extends ListResource<infer Parameters, z.ZodType, infer Cursor> ? Query<Wire<Parameters>, Wire<Cursor>> : never

type Query<Values, Cursor> = { readonly [Name in keyof Values as Exclude<Name, 'cursor' | 'limit'>]: Values[Name] } & {
  readonly limit: number
  readonly cursor?: Cursor
}

export type ItemOf<List extends ListResource> = Wire<List['item']>

/** One page and the place at which the next one begins; `next` is `null` on the last page. */
export interface Page<T, Cursor> {
  readonly data: readonly T[]
  readonly next: Cursor | null
  /** The newest indexed block at the moment of the read; `null`: nothing is indexed yet. */
  readonly asOfBlock: string | null
  /** The page is empty because rows as old as its range are not kept: a sentence that says since when they are. */
  readonly notKept?: string
}

export type PageOf<List extends ListResource> = Page<ItemOf<List>, NonNullable<QueryOf<List>['cursor']>>

export const NO_PARAMETERS = z.object({})

type Caching = Pick<Resource, 'cacheControl' | 'outdatedBy' | 'problems'>

/** How a resource is cached, and its problems. Default: as fits what is read of the index, or of a token. */
function cachingOf({ path, cacheControl = 'revalidate', ...given }: Pick<Resource, 'path'> & Partial<Caching>): Caching {
  const isOfToken = path.startsWith('/api/tokens/:address')
  const { outdatedBy = cacheControl === 'never' ? null : isOfToken ? 'tokenChange' : 'commit' } = given
  const { problems = isOfToken ? ['token_not_found', 'data_unavailable'] : ['data_unavailable'] } = given
  return { cacheControl, outdatedBy, problems }
}

/** A resource that is no list. */
export function defineResource<Parameters extends z.ZodObject, Answer extends z.ZodType>(
  resource: Omit<Resource<Parameters, Answer>, keyof Caching> & Partial<Caching>,
): Resource<Parameters, Answer> {
  return { ...resource, ...cachingOf(resource) }
}

/** The answer of a list is its items in an envelope. */
export function defineList<Parameters extends z.ZodObject, Item extends z.ZodType, Cursor extends z.ZodObject>({
  name,
  meaning,
  ...list
}: Omit<ListResource<Parameters, Item, Cursor>, 'answer' | keyof Caching> &
  Partial<Caching> & {
    /** Name of the answer in the descriptions. */
    readonly name: string
    readonly meaning: string
  }): ListResource<Parameters, Item, Cursor> {
  return { ...list, ...cachingOf(list), answer: listSchema(list.item).meta({ id: name, description: meaning }) }
}

/** The envelope of every list. */
export const listSchema = <T extends z.ZodType>(item: T) =>
  z.object({
    data: z.array(item).describe('The rows, in order.'),
    nextCursor: z.string().nullable().describe('Opaque cursor of the next page. `null`: this is the last one.'),
    asOfBlock: integerText
      .nullable()
      .describe('Number of the newest indexed block at the time of the answer. `null`: nothing is indexed yet.'),
  })

/* The fields of cursors, restricted to values that the database can compare. */

export const cursorAddress = z.string().regex(/^0x[0-9a-f]{40}$/) as unknown as z.ZodType<Address, string>
export const cursorBalance = z.string().regex(/^\d{1,78}$/)
export const cursorText = (max: number) =>
  z
    .string()
    .max(max)
    .regex(/^\P{Cc}*$/u)

export const integerCursor = (max: number) => z.int().min(0).max(max)

const integerTextUpTo = (max: number) => z.string().refine(text => /^\d{1,16}$/.test(text) && Number(text) <= max)
export const cursorTime = integerTextUpTo(MAX_UNIX_SECONDS)
export const cursorCount = integerTextUpTo(INT32_MAX)
export const cursorBlock = integerTextUpTo(Number.MAX_SAFE_INTEGER)
export const cursorDecimal = z.string().regex(/^-?\d{1,120}(\.\d{1,120})?$/)
/** Zero, or a value that a double can hold: PostgreSQL refuses one that overflows or underflows. */
export const cursorDouble = z
  .string()
  .regex(/^-?\d{1,40}(\.\d{1,40})?(e[+-]?\d{1,3})?$/)
  .refine(text => Number.isFinite(Number(text)) && (Number(text) !== 0 || /^-?[0.]+(e|$)/.test(text)))
