import { setImmediate as nextTurn } from 'node:timers/promises'
import { inspect } from 'node:util'
import { numberToHex } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { hasCode } from '#errors'
import { createRpc, type Rpc, type RpcOptions } from '#rpc/rpc.ts'
import { blockByTag } from '#rpc/rpcCalls.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { type FakeProvider, type FakeProviderOptions, type Misbehaviour, startFakeProvider } from '#test/support/fakeProvider.ts'
import { createLogLines, type LogLines } from '#test/support/logLines.ts'
import { createManualClock, type ManualClock } from '#test/support/manualClock.ts'
import { createSimulatedChain, type SimulatedChain } from '#test/support/simulatedChain.ts'
import { callQuota } from '#test/support/weakness.ts'

const running: { stop(): void | Promise<void> }[] = []
afterEach(async () => {
  for (const one of running.splice(0).reverse()) await one.stop()
})

interface Setting {
  readonly rpc: Rpc
  readonly clock: ManualClock
  readonly log: LogLines
}
const SHORT_MS = 150

describe('connecting', () => {
  it('gives the chain id of the first provider that answers, in the order of the URLs', async () => {
    const dead = await start({ chain: chainOf(1, 5), misbehave: () => ({ kind: 'reset' }) })
    const { rpc } = open([dead, await start({ chain: chainOf(1, 7) }), await start({ chain: chainOf(1, 7) })])
    await expect(rpc.connect()).resolves.toBe(7)
    expect(rpc.health().map(({ healthy }) => healthy)).toEqual([false, true, true])
  })

  it('sets a provider of another chain aside and says so once, by name', async () => {
    const liar = await start({ chain: chainOf(3, 2) })
    const honest = await start({ chain: chainOf(5, 1) })
    const { rpc, log } = open([honest, liar], { chainId: 1 })
    await expect(rpc.connect()).resolves.toBe(1)
    honest.setMisbehaviour(only('eth_getBlockByNumber', { kind: 'http', status: 503 }))
    await expect(headNumber(rpc)).rejects.toThrow('rpc-1: HTTP 503')
    expect(headCallsOf(liar)).toBe(1)
    expect(log.lines().filter(({ msg }) => msg === 'RPC provider serves another chain')).toMatchObject([
      { provider: 'rpc-2', expected: 1, actual: 2 },
    ])
    expect(rpc.health()[1]?.healthy).toBe(false)
  })

  it('is refused while providers serve different chains and none is configured, saying who serves which', async () => {
    const { rpc } = open([
      await start({ chain: chainOf(3, 666) }),
      await start({ chain: chainOf(3, 1) }),
      await start({ chain: chainOf(4, 1) }),
    ])
    await expect(rpc.connect()).rejects.toMatchObject({
      code: 'chain_mismatch',
      retryable: false,
      message:
        'the providers of RPC_URLS serve different chains (rpc-1: chain 666; rpc-2, rpc-3: chain 1); ' +
        'set CHAIN_ID to the chain to index, or correct RPC_URLS',
    })
  })

  it('warns when one provider alone decides on the chain, since the others do not answer', async () => {
    const misbehave = () => ({ kind: 'reset' }) as const
    const providers = [await start({ chain: chainOf(3, 666) }), await start({ chain: chainOf(3, 1), misbehave })]
    const { rpc, log } = open(providers)
    await expect(rpc.connect()).resolves.toBe(666)
    const { rpc: configured, log: quiet } = open(providers, { chainId: 666 })
    await configured.connect()
    const warnings = [log, quiet].map(({ lines }) => lines().filter(({ msg }) => String(msg).startsWith('CHAIN_ID is not set')))
    expect(warnings).toMatchObject([[{ chainId: 666, unanswered: ['rpc-2'] }], []])
  })

  it('refuses a chain that is not the configured one', async () => {
    const { rpc } = open([await start({ chain: chainOf(1, 2) })], { chainId: 1 })
    await expect(rpc.connect()).rejects.toMatchObject({ code: 'chain_mismatch', message: 'rpc-1: serves chain 2, not chain 1' })
  })

  it('goes on with the providers of the configured chain', async () => {
    const { rpc } = open([await start({ chain: chainOf(1, 2) }), await start({ chain: chainOf(4, 1) })], { chainId: 1 })
    await expect(rpc.connect()).resolves.toBe(1)
    await expect(headNumber(rpc)).resolves.toEqual({ number: 4, from: 'rpc-2' })
  })

  it('is told apart from providers that do not answer', async () => {
    const { rpc } = open([await start({ chain: chainOf(1), misbehave: () => ({ kind: 'http', status: 502 }) })], { chainId: 1 })
    await expect(rpc.connect()).rejects.toMatchObject({
      code: 'rpc_unavailable',
      retryable: true,
      message: 'no RPC provider answers (rpc-1: HTTP 502)',
    })
  })

  /** A head of an hour ahead set the honest provider aside, because its own was far older, and nothing was indexed. */
  it('compares no head with one whose time is ahead of the clock and not proven', async () => {
    const chain = chainOf(2)
    const clock = createManualClock(chain.head().header.timestamp * 1_000)
    const head = chain.answer('eth_getBlockByNumber', ['latest', false]) as Readonly<Record<string, unknown>>
    const ahead = { ...head, timestamp: numberToHex(chain.head().header.timestamp + 3_600) }
    const liar = await start({ chain, misbehave: only('eth_getBlockByNumber', { kind: 'result', result: ahead }) })
    const { rpc } = open([liar, await start({ chain })], { clock })
    await rpc.connect()
    expect(rpc.health().map(({ healthy }) => healthy)).toEqual([false, true])
  })

  it('is caught up on by a provider that answers only later', async () => {
    const late = await start({ chain: chainOf(3, 2), misbehave: () => ({ kind: 'reset' }) })
    const { rpc, clock } = open([await start({ chain: chainOf(2, 1) }), late])
    await rpc.connect()
    late.setMisbehaviour(undefined)
    clock.advance(60_000)
    await headNumber(rpc)
    await expect.poll(() => late.calls.length).toBeGreaterThanOrEqual(4)
    await expect.poll(() => rpc.health()[1]?.healthy).toBe(false)
  })

  it('needs a URL', () => {
    expect(() => open([])).toThrow('RPC_URLS')
  })
})

describe('fail-over', () => {
  const faults: readonly (readonly [string, Misbehaviour, string])[] = [
    ['resets the connection', { kind: 'reset' }, 'the connection failed'],
    ['hangs', { kind: 'hang' }, 'no answer in time'],
    ['hangs in the middle of an answer', { kind: 'hang-in-body' }, 'no answer in time'],
    ['answers 503', { kind: 'http', status: 503 }, 'HTTP 503'],
    ['answers 401 without a body', { kind: 'http', status: 401 }, 'HTTP 401'],
    ['answers a page', { kind: 'http', status: 200, body: '<html>be right back</html>' }, 'not an answer'],
    ['answers half a JSON', { kind: 'http', status: 200, body: '{"jsonrpc":"2.0","id":1,"resul' }, 'not an answer'],
    ['answers null', { kind: 'http', status: 200, body: 'null' }, 'not an answer'],
    ['answers a list', { kind: 'http', status: 200, body: '[]' }, 'not an answer'],
    ['has an error in a 200', { kind: 'error', code: -32603, message: 'internal error' }, 'the node failed (-32603): internal error'],
    ['has an error of code 429 in a 200', { kind: 'error', code: 429, message: 'slow down' }, 'rate limit'],
  ]

  it.each(faults)('asks the next provider when the first one %s', async (_, fault, sentence) => {
    const bad = await start({ chain: chainOf(9) })
    const good = await start({ chain: chainOf(9) })
    const hangs = fault.kind === 'hang' || fault.kind === 'hang-in-body'
    const options = hangs ? { timeoutMs: SHORT_MS, fetch: inMemory([bad, good]) } : {}
    const { rpc } = open([bad, good], options)
    await rpc.connect()
    bad.setMisbehaviour(only('eth_getBlockByNumber', fault))
    await expect(headNumber(rpc)).resolves.toEqual({ number: 9, from: 'rpc-2' })
    expect(rpc.health()[0]?.errorRate).toBeGreaterThan(0)

    const { rpc: alone } = open([bad], options)
    bad.setMisbehaviour(undefined)
    await alone.connect()
    bad.setMisbehaviour(only('eth_getBlockByNumber', fault))
    await expect(headNumber(alone)).rejects.toThrow(sentence)
  })

  it('asks three times when there is only one provider', async () => {
    const { rpc, clock, first: provider } = await connected([9])
    provider.setMisbehaviour(only('eth_getBlockByNumber', { kind: 'http', status: 500 }))
    const before = provider.requests()
    await expect(headNumber(rpc)).rejects.toMatchObject({ code: 'rpc_unavailable', retryable: true })
    expect(provider.requests() - before).toBe(3)
    expect(clock.slept).toEqual([100, 200])
  })

  it('asks on while the provider answers other questions', async () => {
    const { rpc, first: provider } = await connected([9])
    let asked = 0
    provider.setMisbehaviour(({ method }) => (method === 'eth_getBlockByNumber' && ++asked <= 6 ? { kind: 'reset' } : undefined))
    const other = () => rpc.ask(({ call }) => call({ method: 'eth_chainId', params: [] }))
    const head = rpc.ask(async ({ call }) => {
      if (asked === 0) await other()
      return call(blockByTag('latest'))
    })
    await expect(head).resolves.toMatchObject({ number: '0x9' })
    expect(asked).toBe(7)
  })

  it('sets a provider aside after three failures in a row and returns to it once it answers a probe', async () => {
    const { rpc, clock, log, first } = await connected([9, 9])
    first.setMisbehaviour(() => ({ kind: 'http', status: 500 }))
    for (let count = 0; count < 3; count++) {
      await headNumber(rpc)
      clock.advance(600)
    }
    expect(rpc.health()[0]?.healthy).toBe(false)
    expect(rpc.preferred().name).toBe('rpc-2')

    first.setMisbehaviour(undefined)
    clock.advance(60_000)
    await headNumber(rpc)
    await expect.poll(() => rpc.health()[0]?.healthy).toBe(true)
    await expect(headNumber(rpc)).resolves.toMatchObject({ from: 'rpc-1' })
    const said = log.lines().flatMap(({ level, msg, cause }) => (Number(level) >= 30 ? [[msg, cause]] : []))
    expect(said).toEqual([
      ['RPC provider is set aside', expect.stringMatching(/^rpc-1: .+/)],
      ['RPC provider is healthy', undefined],
    ])
  })

  it('leaves a provider alone for as long as Retry-After says', async () => {
    const { rpc, clock, first } = await connected([9, 9])
    first.setMisbehaviour(() => ({ kind: 'http', status: 429, headers: { 'Retry-After': '20' } }))
    await expect(headNumber(rpc)).resolves.toMatchObject({ from: 'rpc-2' })
    const asked = first.requests()
    clock.advance(19_000)
    await expect(headNumber(rpc)).resolves.toMatchObject({ from: 'rpc-2' })
    expect(first.requests()).toBe(asked)
    first.setMisbehaviour(undefined)
    clock.advance(1_001)
    await expect(headNumber(rpc)).resolves.toMatchObject({ from: 'rpc-1' })
  })

  it('waits out a short silence of a lone provider, and says how long a long one lasts', async () => {
    const { rpc, clock, first: lone } = await connected([9])
    let refusals = 1
    lone.setMisbehaviour(() => (refusals-- > 0 ? { kind: 'http', status: 429, headers: { 'Retry-After': '1' } } : undefined))
    await expect(headNumber(rpc)).resolves.toMatchObject({ number: 9 })
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBe(1_000)

    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32005, message: 'too many' } })
    lone.setMisbehaviour(() => ({ kind: 'http', status: 429, body, headers: { 'Retry-After': '60', 'Content-Type': 'application/json' } }))
    // One pause of 100 ms lies between the refusal and the answer to the caller.
    await expect(headNumber(rpc)).rejects.toMatchObject({ code: 'rpc_unavailable', fault: { kind: 'rate-limited', retryAfterMs: 59_900 } })
  })

  it('lets questions wait for one another once a provider has refused one', async () => {
    const chain = chainOf(9)
    let underWay = 0
    const atOnce: number[] = []
    const answer = async (method: string, params: readonly unknown[]) => {
      atOnce.push(++underWay)
      await nextTurn()
      underWay--
      return chain.answer(method, params)
    }
    const lone = await start({ chain: { answer } })
    const { rpc } = open([lone], { fetch: lone.fetch })
    await rpc.connect()
    const ask = () => Promise.all(Array.from({ length: 20 }, () => headNumber(rpc)))
    atOnce.length = 0
    await ask()
    expect(Math.max(...atOnce)).toBe(20)
    let refusals = 1
    lone.setMisbehaviour(() => (refusals-- > 0 ? { kind: 'http', status: 429 } : undefined))
    await headNumber(rpc)
    atOnce.length = 0
    await ask()
    expect(Math.max(...atOnce.slice(0, 5))).toBeLessThan(4)
  })

  it('asks the next provider what waited at one that asks for silence', async () => {
    const { rpc, clock, first } = await connected([9, 9])
    let refuses = true
    first.setMisbehaviour(() => {
      const refused = refuses
      refuses = false
      return refused ? { kind: 'http', status: 429, headers: { 'Retry-After': '20' } } : undefined
    })
    await expect(headNumber(rpc)).resolves.toMatchObject({ from: 'rpc-2' })
    // Before it is looked at anyway.
    clock.advance(25_000)
    refuses = true
    const answers = await Promise.all(Array.from({ length: 8 }, () => headNumber(rpc)))
    expect(answers.map(({ from }) => from)).toEqual(Array.from({ length: 8 }, () => 'rpc-2'))
    expect(clock.waitedMs()).toBe(0)
  })

  it('asks the next provider what waited at one that hangs', async () => {
    const first = await start({ chain: chainOf(9) })
    const second = await start({ chain: chainOf(9) })
    const { rpc, clock } = open([first, second], { timeoutMs: SHORT_MS, fetch: inMemory([first, second]) })
    await rpc.connect()
    first.setMisbehaviour(() => ({ kind: 'error', code: -32_005, message: 'over the rate limit' }))
    await headNumber(rpc)
    clock.advance(2_000)
    first.setMisbehaviour(() => ({ kind: 'hang' }))
    const before = headCallsOf(first)
    const answers = await Promise.all(Array.from({ length: 8 }, () => headNumber(rpc)))
    expect(answers.map(({ from }) => from)).toEqual(Array.from({ length: 8 }, () => 'rpc-2'))
    expect(headCallsOf(first) - before).toBe(1)
  })

  it('holds an answer against a provider when the caller does not believe it', async () => {
    const { rpc } = await connected([3, 9])
    const answer = await rpc.ask(async provider => {
      const { number } = (await provider.call(blockByTag('latest'))) as { number: string }
      if (Number(number) < 5) throw new RpcError({ kind: 'inconsistent', what: 'too old' })
      return `${provider.name} ${Number(number)}`
    })
    expect(answer).toBe('rpc-2 9')
    expect(rpc.health()[0]?.errorRate).toBeGreaterThan(0)
  })

  it('passes on at once what is no fault of a provider', async () => {
    const { rpc, first } = await connected([3, 9])
    await expect(rpc.ask(() => Promise.reject(new TypeError('a defect')))).rejects.toThrow('a defect')
    first.setMisbehaviour(only('eth_call', { kind: 'error', code: 3, message: 'execution reverted' }))
    await expect(rpc.request({ method: 'eth_call', params: [{}] })).rejects.toMatchObject({ code: 'rpc_rejected', retryable: false })
    expect(rpc.health()[0]).toMatchObject({ healthy: true, errorRate: 0 })
  })

  it('does without a provider whose head is an hour old, while another one is fresh', async () => {
    const stale = chainOf(3)
    const fresh = chainOf(3)
    for (let count = 0; count < 1_800; count++) fresh.mine()
    const { rpc } = open([await start({ chain: stale }), await start({ chain: fresh })])
    await rpc.connect()
    await expect(headNumber(rpc)).resolves.toEqual({ number: 1_803, from: 'rpc-2' })
    expect(rpc.health().map(({ healthy }) => healthy)).toEqual([false, true])
  })

  it('asks each healthy provider once when it is to be sure', async () => {
    const broken = await start({ chain: chainOf(5) })
    const { rpc } = open([await start({ chain: chainOf(3) }), broken, await start({ chain: chainOf(4) })])
    await rpc.connect()
    broken.setMisbehaviour(() => ({ kind: 'reset' }))
    const numbers = await rpc.askEach(async provider => Number(((await provider.call(blockByTag('latest'))) as { number: string }).number))
    expect(numbers).toEqual([3, 4])
  })

  it('asks again, as it would one, when none of them answered', async () => {
    const { rpc, first: provider } = await connected([5])
    let asked = 0
    provider.setMisbehaviour(() => (++asked <= 2 ? { kind: 'reset' } : undefined))
    await expect(rpc.askEach(({ call }) => call({ method: 'eth_chainId', params: [] }))).resolves.toEqual(['0x1'])
    provider.setMisbehaviour(() => ({ kind: 'reset' }))
    await expect(rpc.askEach(({ call }) => call({ method: 'eth_chainId', params: [] }))).rejects.toMatchObject({ code: 'rpc_unavailable' })
  })
})

describe('the second provider', () => {
  it('is the next usable one, asked once, and none when there is none', async () => {
    const [first, second] = [await start({ chain: chainOf(1) }), await start({ chain: chainOf(2) })]
    const { rpc } = open([first, second])
    await rpc.connect()
    const height = () => rpc.second()?.ask(async ({ call }) => Number(((await call(blockByTag('latest'))) as { number: string }).number))
    await expect(height()).resolves.toBe(2)
    second.setMisbehaviour(() => ({ kind: 'http', status: 502 }))
    const before = second.requests()
    await expect(height()).rejects.toMatchObject({ provider: 'rpc-2', fault: { kind: 'http' } })
    expect(second.requests()).toBe(before + 1)
    expect(rpc.second()).toBeNull()
    expect(open([first]).rpc.second()).toBeNull()
  })
})

describe('batches', () => {
  const numbersOf = (rpc: Rpc, count: number) =>
    rpc.ask(async provider => {
      const calls = Array.from({ length: count }, (_, number) => ({
        method: 'eth_getBlockByNumber',
        params: [`0x${number.toString(16)}`, false],
      }))
      return ((await provider.calls(calls)) as { number: string }[]).map(({ number }) => Number(number))
    })

  it('are matched by id, in whatever order they are answered', async () => {
    const { rpc } = open([await start({ chain: chainOf(30), shuffleBatches: true })])
    await expect(numbersOf(rpc, 30)).resolves.toEqual(Array.from({ length: 30 }, (_, number) => number))
  })

  it('become as small as the provider allows', async () => {
    const message = 'Batch of more than 3 requests are not allowed on free tier'
    const provider = await start({ chain: chainOf(30), batchLimit: { calls: 3, message } })
    const { rpc } = open([provider])
    await expect(numbersOf(rpc, 20)).resolves.toEqual(Array.from({ length: 20 }, (_, number) => number))
    const before = provider.requests()
    await numbersOf(rpc, 20)
    expect(provider.requests() - before).toBeLessThanOrEqual(10)
    expect(rpc.health()[0]?.errorRate).toBe(0)
  })

  it('are answered a few at a time by a lone provider that counts calls', async () => {
    const { rpc, clock, first: provider } = await connected([40])
    const quota = callQuota(5, () => clock.nowMs())
    provider.setMisbehaviour(call => quota(call, 0))
    const before = provider.requests()
    await expect(numbersOf(rpc, 40)).resolves.toEqual(Array.from({ length: 40 }, (_, number) => number))
    expect(provider.requests() - before).toBeLessThan(20)
    expect(clock.waitedMs()).toBe(7_000)
  })

  it('go to another provider as soon as one refuses the rest', async () => {
    const { rpc, clock, first } = await connected([40, 40])
    const quota = callQuota(5, () => clock.nowMs())
    first.setMisbehaviour(call => quota(call, 0))
    await expect(numbersOf(rpc, 40)).resolves.toHaveLength(40)
    expect(clock.waitedMs()).toBe(0)
  })

  it('are answered a few at a time by the last one when all of them count calls', async () => {
    const providers = [await start({ chain: chainOf(40) }), await start({ chain: chainOf(40) }), await start({ chain: chainOf(40) })]
    const { rpc, clock } = open(providers)
    await rpc.connect()
    for (const provider of providers) {
      const quota = callQuota(5, () => clock.nowMs())
      provider.setMisbehaviour(call => quota(call, 0))
    }
    await expect(numbersOf(rpc, 40)).resolves.toHaveLength(40)
    expect(clock.waitedMs()).toBe(7_000)
  })

  it('of few calls are of one time, however few of them are answered at first', async () => {
    const { rpc, first: provider } = await connected([40])
    let calls = 0
    const before = provider.calls.length
    provider.setMisbehaviour(() => (++calls === 3 ? { kind: 'error', code: -32_005, message: 'over the rate limit' } : undefined))
    await expect(numbersOf(rpc, 4)).resolves.toEqual([0, 1, 2, 3])
    // Also from then on, they go into one request.
    const requests = provider.requests()
    await numbersOf(rpc, 4)
    expect(provider.requests()).toBe(requests + 1)
    const asked = provider.calls.slice(before).map(({ params: [number] }) => Number(number))
    expect(asked).toEqual([0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3])
    // And not for ever.
    provider.setMisbehaviour(({ params: [number] }) =>
      number === '0x2' ? { kind: 'error', code: -32_005, message: 'over the rate limit' } : undefined,
    )
    await expect(numbersOf(rpc, 4)).rejects.toMatchObject({ fault: { kind: 'rate-limited' } })
  })

  it('are given up when the rest is refused again and again', async () => {
    const { rpc, first: provider } = await connected([40])
    let calls = 0
    provider.setMisbehaviour(() => (++calls > 5 ? { kind: 'error', code: -32_005, message: 'over the limit of this month' } : undefined))
    await expect(numbersOf(rpc, 40)).rejects.toMatchObject({ fault: { kind: 'rate-limited' } })
  })

  it('fail as a whole when one answer is an error or missing', async () => {
    const { rpc, first: provider } = await connected([30])
    provider.setMisbehaviour(({ params }) => (params[0] === '0x7' ? { kind: 'error', code: -32603, message: 'lost it' } : undefined))
    await expect(numbersOf(rpc, 20)).rejects.toThrow('rpc-1: the node failed (-32603): lost it')
    provider.setMisbehaviour(({ method }) =>
      method === 'eth_getBlockByNumber'
        ? { kind: 'http', status: 200, body: '[]', headers: { 'Content-Type': 'application/json' } }
        : undefined,
    )
    await expect(numbersOf(rpc, 20)).rejects.toMatchObject({ code: 'rpc_inconsistent' })
  })
})

describe('secrets', () => {
  it('never show in errors, logs or health, whatever the provider quotes', async () => {
    const provider = await start({ chain: chainOf(3) })
    const { rpc, log } = open([provider])
    const { rpc: impatient } = open([provider], { timeoutMs: SHORT_MS, fetch: inMemory([provider]) })
    await rpc.connect()
    await impatient.connect()
    const { secret, url } = provider
    const faults: Misbehaviour[] = [
      { kind: 'error', code: -32603, message: `project ${secret} at ${url} is over its limit` },
      { kind: 'error', code: -32000, message: `app ${secret} has exceeded its compute units` },
      { kind: 'http', status: 403, body: `no access for ${secret}` },
      { kind: 'http', status: 200, body: url },
      { kind: 'reset' },
      { kind: 'hang' },
      { kind: 'hang-in-body' },
    ]
    const seen: string[] = []
    for (const fault of faults) {
      provider.setMisbehaviour(() => fault)
      const hangs = fault.kind === 'hang' || fault.kind === 'hang-in-body'
      const error = await headNumber(hangs ? impatient : rpc).catch((caught: unknown) => caught)
      log.logger.error({ err: error }, 'a question failed')
      seen.push(inspect(error, { depth: 10, showHidden: true }))
    }
    await provider.stop()
    seen.push(inspect(await headNumber(rpc).catch((caught: unknown) => caught), { depth: 10 }))
    seen.push(log.text(), JSON.stringify(rpc.health()))
    for (const text of seen) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(new URL(url).host)
    }
    expect(seen.length).toBe(faults.length + 3)
  })
})

describe('closing', () => {
  it('fails what is under way and what comes after', async () => {
    const { rpc, first: provider } = await connected([3], { timeoutMs: 600_000 })
    provider.setMisbehaviour(() => ({ kind: 'hang' }))
    const underWay = headNumber(rpc).catch((error: unknown) => error)
    await expect.poll(() => headCallsOf(provider)).toBe(2)
    rpc.close()
    const error = await underWay
    expect(hasCode(error, 'rpc_unavailable') && error instanceof RpcError && error.fault.kind).toBe('closed')
    await expect(headNumber(rpc)).rejects.toMatchObject({ fault: { kind: 'closed' } })
  })
})

async function start(options: FakeProviderOptions): Promise<FakeProvider> {
  const provider = await startFakeProvider(options)
  running.push(provider)
  return provider
}

function open(providers: readonly FakeProvider[], options: Partial<RpcOptions> = {}): Setting {
  const clock = createManualClock()
  const log = createLogLines()
  const urls = providers.map(({ url }) => url)
  const rpc = createRpc({ urls, chainId: null, logger: log.logger, clock, random: () => 1, ...options })
  running.push({ stop: () => rpc.close() })
  return { rpc, clock, log }
}

/** Connected to providers whose chains have these heights. */
async function connected(heights: readonly [number, ...number[]], options: Partial<RpcOptions> = {}) {
  const [one, ...others] = heights.map(height => start({ chain: chainOf(height) }))
  const first = (await one) ?? expect.unreachable()
  const setting = open([first, ...(await Promise.all(others))], options)
  await setting.rpc.connect()
  return { ...setting, first }
}

/** Requests without sockets: an answer takes no time, so that only what hangs can time out. */
function inMemory(providers: readonly FakeProvider[]): typeof fetch {
  const byHost = new Map(providers.map(provider => [new URL(provider.url).host, provider]))
  return (input, init) => (byHost.get(new URL(new Request(input).url).host) ?? expect.unreachable('another host')).fetch(input, init)
}

function headNumber(rpc: Rpc): Promise<{ number: number; from: string }> {
  return rpc.ask(async provider => {
    const block = (await provider.call(blockByTag('latest'))) as { number: string }
    return { number: Number(block.number), from: provider.name }
  })
}

function only(method: string, fault: Misbehaviour) {
  return (call: { method: string }) => (call.method === method ? fault : undefined)
}

function headCallsOf({ calls }: FakeProvider) {
  return calls.filter(({ method }) => method === 'eth_getBlockByNumber').length
}

function chainOf(blocks: number, chainId = 1): SimulatedChain {
  const chain = createSimulatedChain({ chainId })
  for (let count = 0; count < blocks; count++) chain.mine()
  return chain
}
