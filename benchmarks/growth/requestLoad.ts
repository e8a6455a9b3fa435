import { Agent, get } from 'node:http'
import { quantile } from '#benchmarks/harness/quantile.ts'
import type { LoadRequest, LoadRoute } from './draws.ts'
import { createRandom, type Random } from './random.ts'
import { ROUTES } from './routes.ts'
import type { GrowthScale } from './scale.ts'

export interface LoadPlan {
  readonly url: string
  readonly scale: GrowthScale
  readonly seed: number
  readonly requests: number
  /** How many requests are in flight. */
  readonly concurrency: number
  /** Whether answers of megabytes are among those that are asked for. */
  readonly bulk: boolean
}

export interface RouteTimes {
  readonly route: string
  readonly requests: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly mostMs: number
  /** The slowest requests with their durations. */
  readonly slowest: readonly { readonly path: string; readonly ms: number }[]
}

/** How many cursors are remembered for requests deep into lists. */
const MAX_CURSORS = 200
const SLOWEST = 5

const STREAMS = new Set(ROUTES.flatMap(({ route, stream }) => (stream === true ? [route] : [])))

interface Answer {
  readonly status: number
  readonly body: string
  readonly ms: number
}

/**
 * Requests the routes in their shares, a new request for each answered one. Times run from the first byte sent to the last received.
 *
 * @throws `Error` for an answer that is neither a success nor a 404, nor refuses a range for its number of events
 */
export async function takeLoad({ url, scale, seed, requests, concurrency, bulk }: LoadPlan): Promise<readonly RouteTimes[]> {
  const random = createRandom(seed)
  const routes = ROUTES.filter(route => bulk || route.bulk !== true)
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const cursors: LoadRequest[] = []
  const times = new Map<string, { readonly path: string; readonly ms: number }[]>()
  let left = requests
  const client = async () => {
    while (left-- > 0) {
      const request = nextRequest(routes, scale, random, cursors)
      const ask = STREAMS.has(request.route) ? askStream : askWhole
      const answer = await ask(`${url}${request.path}`, agent)
      if (answer.status !== 200 && answer.status !== 404 && !isTooLarge(answer))
        throw new Error(`${answer.status} for ${request.path}: ${answer.body.slice(0, 300)}`)
      const of = times.get(request.route)
      const time = { path: request.path, ms: answer.ms }
      if (of === undefined) times.set(request.route, [time])
      else of.push(time)
      if (request.list && answer.status === 200) remember(cursors, request, answer.body, random)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, client))
  agent.destroy()
  return routes.flatMap(({ route }) => {
    const of = times.get(route)?.toSorted((a, b) => a.ms - b.ms) ?? []
    if (of.length === 0) return []
    const ms = of.map(time => time.ms)
    return [
      {
        route,
        requests: of.length,
        p50Ms: quantile(ms, 0.5),
        p99Ms: quantile(ms, 0.99),
        mostMs: quantile(ms, 1),
        slowest: of.slice(-SLOWEST).reverse(),
      },
    ]
  })
}

/** Some thousand blocks have more events than an answer may have, and are refused after they were read. */
function isTooLarge({ status, body }: Answer): boolean {
  return status === 400 && body.includes('ask for fewer blocks')
}

function nextRequest(routes: readonly LoadRoute[], scale: GrowthScale, random: Random, cursors: readonly LoadRequest[]): LoadRequest {
  const deep = random.chance(0.2) ? cursors[random.integer(0, cursors.length - 1)] : undefined
  if (deep !== undefined) return deep
  let at = random.unit() * routes.reduce((sum, { share }) => sum + share, 0)
  const chosen = routes.find(({ share }) => {
    at -= share
    return at < 0
  })
  if (chosen === undefined) throw new RangeError('no route')
  return chosen.make(scale, random)
}

function remember(cursors: LoadRequest[], request: LoadRequest, body: string, random: Random): void {
  const cursor = /"nextCursor":"([\w-]+)"/.exec(body.slice(-600))?.[1]
  if (cursor === undefined) return
  const [path = '', query = ''] = request.path.split('?')
  const kept = query.split('&').filter(pair => pair !== '' && !pair.startsWith('cursor='))
  const next = { ...request, path: `${path}?${[...kept, `cursor=${cursor}`].join('&')}` }
  if (cursors.length < MAX_CURSORS) cursors.push(next)
  else cursors[random.integer(0, MAX_CURSORS - 1)] = next
}

function askWhole(url: string, agent: Agent): Promise<Answer> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const request = get(url, { agent }, response => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString(), ms: performance.now() - began }),
      )
      response.on('error', reject)
    })
    request.on('error', reject)
  })
}

const STATE = /^event: (?:token\.update|list)$/m

/** To the first state, then hangs up. An error of a request is answered whole. */
export function askStream(url: string): Promise<Answer> {
  const began = performance.now()
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false }, response => {
      let body = ''
      const settle = () => {
        resolve({ status: response.statusCode ?? 0, body, ms: performance.now() - began })
        request.destroy()
      }
      response.on('data', (chunk: Buffer) => {
        body += chunk.toString()
        const at = body.search(STATE)
        if (response.statusCode === 200 && at !== -1 && body.includes('\n\n', at)) settle()
      })
      response.on('end', settle)
      response.on('error', reject)
    })
    request.on('error', reject)
  })
}
