/** A path that is read by GET, or a body that is posted to one. */
export type LoadRequest = string | { readonly path: string; readonly body: unknown }

/** What one client asks for in turn, by the kind of request. */
export type RequestKinds = Readonly<Record<string, readonly LoadRequest[]>>

export const LISTS = 100
const MIN_LISTED = 30
const SORTS = ['createdAt', 'marketCap', 'volume24h', 'liquidity', 'holders']
/** Columns of Ponder's tokens that have as many different values. */
const PONDER_SORTS = ['createdAt', 'price', 'volumeWei', 'tradeCount', 'lastTradeAt']
const COLD_LISTS = 300
const WARM_UP_LISTS = 200
/** Above all limits of the 100 lists, and of the same tokens, so that these lists are as long and were never asked for. */
const MIN_COLD = 31 + LISTS / SORTS.length

/** What the goals of decision 0039 are about. */
export const GOAL_KINDS: readonly string[] = ['/healthz', 'a list of 50 tokens', 'a token', '100 different lists']

export function tokenwireKinds(token: string): RequestKinds {
  return {
    '/healthz': ['/healthz'],
    'a list of 50 tokens': ['/api/tokens'],
    'a token': [`/api/tokens/${token}`],
    'trades of a token': [`/api/tokens/${token}/trades`],
    'candles of a token': [`/api/tokens/${token}/candles`],
    'a search': ['/api/search?q=a'],
    '100 different lists': lists(LISTS, SORTS, (sort, index) => `/api/tokens?sort=${sort}&limit=${MIN_LISTED + index}`),
  }
}

/** Ten times what was answered of one list before answers were kept (0039). */
export const LISTS_PER_SECOND = 6_300

/** The 100 lists, and the one of 50 tokens after every tenth of them. */
export function listsWithHotOne(token: string): readonly LoadRequest[] {
  const { 'a list of 50 tokens': hot = [], '100 different lists': different = [] } = tokenwireKinds(token)
  return different.flatMap((list, index) => (index % 10 === 9 ? [list, ...hot] : [list]))
}

/** Different lists, none of which the other kinds contain: some to warm up with, and those that are measured. */
export function coldLists(): { readonly warmUp: readonly string[]; readonly paths: readonly string[] } {
  const orders = ['desc', 'asc']
  const all = lists(WARM_UP_LISTS + COLD_LISTS, SORTS, (sort, index) => {
    const [order, limit] = [orders[index % orders.length], MIN_COLD + Math.floor(index / orders.length)]
    return `/api/tokens?sort=${sort}&order=${order}&limit=${limit}`
  })
  return { warmUp: all.slice(COLD_LISTS), paths: all.slice(0, COLD_LISTS) }
}

/** The same by Ponder's own API. Its rows have twelve columns. */
export function ponderKinds(token: string): RequestKinds {
  const TOKEN = 'address creator symbol name metadataUri createdAt createdBlock price tradeCount volumeWei pool lastTradeAt'
  const TRADE = 'id token pool side maker amountToken amountWei price blockNumber txHash logIndex timestamp'
  const list = (sort: string | undefined, limit: number) =>
    query(`tokens(orderBy: "${sort}", orderDirection: "desc", limit: ${limit}) { items { ${TOKEN} } pageInfo { endCursor } }`)
  const ofToken = (more: string) => `where: {token: "${token}"${more}}, orderDirection: "desc"`
  return {
    '/healthz': ['/health'],
    'a list of 50 tokens': [list('createdAt', 50)],
    'a token': [query(`token(address: "${token}") { ${TOKEN} }`)],
    'trades of a token': [query(`trades(${ofToken('')}, orderBy: "timestamp", limit: 50) { items { ${TRADE} } }`)],
    'candles of a token': [
      query(
        `candles(${ofToken(', intervalSeconds: 60')}, orderBy: "time", limit: 300) { items { time open high low close volumeWei trades } }`,
      ),
    ],
    'a search': [query(`tokens(where: {name_contains: "a"}, limit: 20) { items { ${TOKEN} } }`)],
    '100 different lists': lists(LISTS, PONDER_SORTS, (sort, index) => list(sort, MIN_LISTED + index)),
  }
}

function query(text: string): LoadRequest {
  return { path: '/graphql', body: { query: `{ ${text} }` } }
}

/** One list after another of each sort. @param listOf `index`: counts the lists of the same sort */
function lists<T>(count: number, sorts: readonly string[], listOf: (sort: string | undefined, index: number) => T): readonly T[] {
  return Array.from({ length: count }, (_, index) => listOf(sorts[index % sorts.length], Math.floor(index / sorts.length)))
}
