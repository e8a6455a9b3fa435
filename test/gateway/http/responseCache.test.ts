import { hash } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import { jsonAnswer, type Outcome } from '#gateway/http/answer.ts'
import { problem } from '#gateway/http/problem.ts'
import { createDispatch } from '#gateway/http/requests.ts'
import { createResponseCache, RecentKeys } from '#gateway/http/responseCache.ts'
import { defineRoute } from '#gateway/http/route.ts'
import { CONFIG, type Gateway, type GatewayOptions, startGateway, TOKEN } from '#test/gateway/startGateway.ts'
import { addressOf } from '#test/support/snapshots.ts'

const ALPHA = addressOf(1)
const BETA = addressOf(2)

/** Cached responses over a source that counts its reads, and a clock that tests move. */
function open() {
  const clock = { ms: 0 }
  const kept = createResponseCache(() => clock.ms)
  const reads: string[] = []
  const ask = (key: string, token: Address | null = null, outcome?: Outcome) =>
    kept.ask({ key, token }, async () => {
      reads.push(key)
      return outcome ?? jsonAnswer({ key, read: reads.length })
    })
  return { clock, kept, reads, ask }
}

test('an answer is made once, also for requests that come while it is made', async () => {
  const { ask, reads } = open()
  const outcomes = await Promise.all([ask('/a'), ask('/a'), ask('/b')])
  expect(outcomes[0]).toBe(outcomes[1])
  expect(await ask('/a')).toBe(outcomes[0])
  expect(reads).toEqual(['/a', '/b'])
})

test('an answer is kept from the second request on, and after a commit from the first', async () => {
  const { ask, kept, reads } = open()
  await ask('/a')
  await ask('/a')
  expect(reads).toHaveLength(2)
  await ask('/a')
  expect(reads).toHaveLength(2)
  kept.changed([])
  await ask('/a')
  await ask('/a')
  expect(reads).toHaveLength(3)
})

test('a commit outdates the answers of the tokens that it changed, and those that any commit outdates', async () => {
  const { ask, kept, reads } = open()
  const askAll = () => Promise.all([ask('/alpha', ALPHA), ask('/beta', BETA), ask('/list')])
  await askAll()
  await askAll()
  kept.changed([ALPHA])
  await askAll()
  expect(reads.slice(6)).toEqual(['/alpha', '/list'])
  kept.changed([])
  await askAll()
  expect(reads.slice(8)).toEqual(['/list'])
  kept.changed(null)
  await askAll()
  expect(reads.slice(9)).toEqual(['/alpha', '/beta', '/list'])
})

test('an answer that was begun before a commit is neither shared nor kept after it', async () => {
  const { kept } = open()
  const slow = Promise.withResolvers<Outcome>()
  const before = kept.ask({ key: '/alpha', token: ALPHA }, () => slow.promise)
  kept.changed([ALPHA])
  const after = kept.ask({ key: '/alpha', token: ALPHA }, async () => jsonAnswer('newer'))
  slow.resolve(jsonAnswer('older'))
  expect(await before).toMatchObject({ body: Buffer.from('"older"') })
  expect(await after).toMatchObject({ body: Buffer.from('"newer"') })
  expect(await kept.ask({ key: '/alpha', token: ALPHA }, () => expect.unreachable())).toBe(await after)
})

// With a hundred lists that took longer to read than the time between blocks, each block added a hundred reads, until none got a connection
// to the database in time.
test('however many commits come while an answer is made, one more waits, and is begun after it', async () => {
  const { kept } = open()
  const making: PromiseWithResolvers<Outcome>[] = []
  const ask = () =>
    kept.ask({ key: '/list', token: null }, () => {
      const made = Promise.withResolvers<Outcome>()
      making.push(made)
      return made.promise
    })
  const first = ask()
  const later = Array.from({ length: 5 }, () => {
    kept.changed([])
    return ask()
  })
  expect(making).toHaveLength(1)
  making[0]?.reject(new Error('no connection in time'))
  await expect(first).rejects.toThrow('no connection in time')
  expect(making).toHaveLength(2)
  // One that has begun is outdated like any other.
  kept.changed([])
  const last = ask()
  making[1]?.resolve(jsonAnswer('second'))
  expect(new Set(await Promise.all(later)).size).toBe(1)
  expect(making).toHaveLength(3)
  making[2]?.resolve(jsonAnswer('third'))
  expect(await last).toMatchObject({ body: Buffer.from('"third"') })
  expect(await ask()).toBe(await last)
  // Nothing is under way any more.
  kept.changed([])
  void ask()
  expect(making).toHaveLength(4)
})

test('problems and failures are not kept', async () => {
  const { ask, kept, reads } = open()
  for (let round = 0; round < 3; round++) await ask('/unknown', ALPHA, problem(404, 'token_not_found', 'unknown'))
  expect(reads).toHaveLength(3)
  const fail = () => kept.ask({ key: '/a', token: null }, () => Promise.reject(new Error('no database')))
  await expect(Promise.all([fail(), fail()])).rejects.toThrow('no database')
  await ask('/a')
  expect(reads).toHaveLength(4)
})

test('an answer is made again after two seconds, though nothing has changed', async () => {
  const { ask, clock, reads } = open()
  await Promise.all([ask('/a'), ask('/a')])
  clock.ms = 1_999
  await ask('/a')
  expect(reads).toHaveLength(1)
  clock.ms = 2_000
  await ask('/a')
  expect(reads).toHaveLength(2)
})

test('a flood of distinct requests takes no memory, and does not evict what was asked for again', async () => {
  const { ask, reads } = open()
  const large = jsonAnswer('x'.repeat(1 << 20))
  await Promise.all([ask('/popular', null, large), ask('/popular', null, large)])
  for (let index = 0; index < 200; index++) await ask(`/flood?${index}`, null, large)
  const { length } = reads
  await ask('/popular', null, large)
  expect(reads).toHaveLength(length)
  for (let index = 0; index < 200; index++) await ask(`/flood?${index}`, null, large)
  expect(reads).toHaveLength(length + 200)
})

test('what was asked for again is bounded', async () => {
  const { ask, reads } = open()
  const large = jsonAnswer('x'.repeat(1 << 20))
  const askTwice = (key: string) => Promise.all([ask(key, null, large), ask(key, null, large)])
  for (let index = 0; index < 10; index++) await askTwice(`/${index}`)
  for (let index = 0; index < 10; index++) await askTwice(`/${index}`)
  expect(reads).toHaveLength(10)
  for (let index = 10; index < 100; index++) await askTwice(`/${index}`)
  expect(reads).toHaveLength(100)
  await ask('/0', null, large)
  expect(reads).toHaveLength(101)
})

test('long keys count', async () => {
  const { ask, reads } = open()
  const key = (index: number) => `/${index}?${'x'.repeat(1 << 20)}`
  const askTwice = (index: number) => Promise.all([ask(key(index)), ask(key(index))])
  for (let index = 0; index < 40; index++) await askTwice(index)
  // 64 MiB of keys of 2 MiB each.
  for (let index = 0; index < 40; index++) await askTwice(index)
  expect(reads.length).toBeGreaterThanOrEqual(40 + 8)
})

test('under any interleaving, an answer is at least as new as the newest commit before its request', async () => {
  const step = fc.oneof(
    fc.record({ kind: fc.constant('commit' as const), token: fc.constantFrom(ALPHA, BETA) }),
    fc.record({ kind: fc.constant('ask' as const), token: fc.constantFrom(ALPHA, BETA, null) }),
    fc.record({ kind: fc.constant('finish' as const), index: fc.nat(5) }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async steps => {
      const kept = createResponseCache(() => 0)
      const versions = new Map<Address | null, number>([
        [ALPHA, 0],
        [BETA, 0],
        [null, 0],
      ])
      const open: (() => void)[] = []
      const asked: { least: number; outcome: Promise<Outcome> }[] = []
      for (const one of steps) {
        if (one.kind === 'commit') {
          for (const token of [one.token, null]) versions.set(token, (versions.get(token) ?? 0) + 1)
          kept.changed([one.token])
        } else if (one.kind === 'ask') {
          const least = versions.get(one.token) ?? 0
          const outcome = kept.ask({ key: String(one.token), token: one.token }, () => {
            const body = jsonAnswer(versions.get(one.token))
            return new Promise(resolve => open.push(() => resolve(body)))
          })
          asked.push({ least, outcome })
          expect(open.length).toBeLessThanOrEqual(3)
        } else {
          open.splice(one.index, 1)[0]?.()
          await Promise.resolve()
        }
      }
      for (const { least, outcome } of asked) {
        // Answers that waited for others begin when those are done.
        while ((await Promise.race([outcome, Promise.resolve(null)])) === null) for (const finish of open.splice(0)) finish()
        const made = await outcome
        expect(made.kind === 'answer' ? Number(String(made.body)) : null).toBeGreaterThanOrEqual(least)
      }
    }),
  )
})

// An answer for operators was once kept for everyone, if such a route kept any; and an answer that only a change of its token outdates never
// was outdated, on a path without a token.
test.each([
  ['/a/:address/b', 'public', 'tokenChange', null],
  ['/a', 'public', 'commit', null],
  ['/a', 'both', 'commit', 'not the same for everyone'],
  ['/a/:address', 'operator', 'tokenChange', 'not the same for everyone'],
  ['/a/:addresses', 'public', 'tokenChange', 'names no token'],
  ['/a', 'public', () => 'commit' as const, 'names no token'],
] as const)(
  'a service starts with a route at %s for %s that keeps its answers only if they are right',
  (path, access, outdatedBy, objection) => {
    const route = defineRoute({ path, access, outdatedBy, cacheControl: 'never', description: null }, async () => jsonAnswer({}))
    const start = () =>
      createDispatch([route], { config: CONFIG } as unknown as Parameters<typeof createDispatch>[1], () => expect.unreachable())
    if (objection === null) expect(start).not.toThrow()
    else expect(start).toThrow(objection)
  },
)

test('knows a key that was noted before', () => {
  const recent = new RecentKeys()
  expect([recent.note('/a'), recent.note('/b'), recent.note('/a')]).toEqual([false, false, true])
})

test('forgets the oldest keys beyond two million characters, and none of the newest million', () => {
  const recent = new RecentKeys()
  const key = (index: number) => `${index}`.padEnd(1_000, '-')
  for (let index = 0; index < 3_000; index++) recent.note(key(index))
  expect(recent.note(key(2_999))).toBe(true)
  expect(recent.note(key(2_000))).toBe(true)
  expect(recent.note(key(0))).toBe(false)
})

test('a key that is noted again stays', () => {
  const recent = new RecentKeys()
  const filler = (index: number) => `${index}`.padEnd(1_000, '-')
  for (let index = 0; index < 10_000; index++) {
    recent.note(filler(index))
    expect(recent.note('/popular')).toBe(index > 0)
  }
})

const PAGE = 'http://localhost:5173'
const TEXT = `tw_${'cdn'.padEnd(43, '-')}`
const KEY = { name: 'cdn', sha256: hash('sha256', TEXT), limits: { requestsPerMinute: 0 } }
/** What clients of one address may send to the same path. */
const CLIENTS = [{}, { origin: PAGE }, { origin: 'https://other.example' }, { 'x-api-key': TEXT }] as const

// Answers with the CORS headers of one page, or with what is left to one client, were `public`: a CDN gave them to all others.
test.for([
  ['restricted origins and a limit', { rateLimitPerMinute: 100_000 }, false],
  ['restricted origins alone', { rateLimitPerMinute: 0 }, false],
  ['a limit alone', { rateLimitPerMinute: 100_000, allowedOrigins: ['*'] }, false],
  ['neither, but keys', { rateLimitPerMinute: 0, allowedOrigins: ['*'], apiKeys: [KEY] }, true],
  ['neither', { rateLimitPerMinute: 0, allowedOrigins: ['*'] }, true],
] as const)('with %s, every path that shared caches may keep answers every client the same', async ([, config, isShared]) => {
  const gateway = await startGateway({ config: config as GatewayOptions['config'] & object })
  const paths = await pathsOf(gateway)
  expect(paths.length).toBeGreaterThan(40)
  let shared = 0
  for (const path of paths) {
    // Not compressed: the descriptions are large.
    const answers = await Promise.all(CLIENTS.map(headers => gateway.get(path, { 'accept-encoding': 'identity', ...headers })))
    const texts = await Promise.all(answers.map(toText))
    const kept = answers.filter(({ headers }) => /public|s-maxage/.test(headers.get('cache-control') ?? ''))
    if (path.startsWith('/api/')) shared += kept.length
    const different = new Set(texts.filter((_, index) => kept.includes(answers[index] as Response))).size
    const varying = kept.filter(({ headers }) => headers.get('vary') !== 'Accept-Encoding')
    expect({ path, different: different > 1, varying }).toEqual({ path, different: false, varying: [] })
  }
  expect(shared > 0).toBe(isShared)
  await gateway.close()
})

/** All paths of the service but event streams. */
async function pathsOf(gateway: Gateway): Promise<readonly string[]> {
  const { paths } = (await (await gateway.get('/openapi.json')).json()) as { readonly paths: object }
  return Object.keys(paths)
    .filter(path => !path.endsWith('/stream'))
    .map(path => path.replace('{address}', TOKEN).replace(/\{\w+\}/, '1'))
}

async function toText(response: Response): Promise<string> {
  const own = new Set(['date', 'x-request-id', 'connection', 'keep-alive'])
  return JSON.stringify([response.status, [...response.headers].filter(([name]) => !own.has(name)), await response.text()])
}
