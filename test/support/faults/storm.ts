import { setTimeout as pause } from 'node:timers/promises'
import { createRandom } from '#devchain/traders/random.ts'
import type { Hex } from '#domain/address.ts'
import { hasCode, TokenwireError } from '#errors'
import type { Directory } from '#launchpads/directory/directory.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { compareWithFresh } from '#test/support/compareWithFresh.ts'
import type { FakeCall } from '#test/support/fakeProvider.ts'
import { createForkingChain, wideIndex } from '#test/support/forkingChain.ts'
import { POLL_LIMIT_MS } from '#test/support/limits.ts'
import { createManualClock } from '#test/support/manualClock.ts'
import { startPatience } from '#test/support/patience.ts'
import { cursorOf, isAsFar, isSettled } from '#test/support/simulatedIndex.ts'
import { START_BLOCK } from '#test/support/simulatedLaunchpad.ts'
import { FEW_LISTED, hasLongLists, isUnlisted, strangersLogs } from '#test/support/strangers.ts'
import { createTokenWatcher } from '#test/support/tokenWatcher.ts'
import { createUnderWay, type UnderWay } from '#test/support/underWay.ts'
import { clearCommits, type Tellings, tellingFaults } from './commitWitness.ts'
import { createDatabaseWeather, DATABASE_FAULTS } from './databaseWeather.ts'
import type { Hit } from './hits.ts'
import { type Life, RPC_TIMEOUT_MS, startLife } from './life.ts'
import type { DatabaseMisfortune } from './postgresProxy.ts'
import { createProviderWeather, RPC_FAULTS } from './rpcWeather.ts'
import { clearWitness, sequenceFaults } from './sequenceWitness.ts'
import type { StormRig } from './stormRig.ts'

const OF_PROCESSES = [
  'killed while it follows',
  'killed while it backfills',
  'killed while it replaces a reorg',
  'killed inside a commit',
  'start that failed',
  'reorg in the middle of a step',
  'database refuses connections',
  'database is starting up',
  'database goes silent',
  'database goes silent at a commit',
  'all providers are dead',
] as const

/** The answer of some providers to log queries without addresses. */
const WANTS_ADDRESSES = { kind: 'error', code: -32_701, message: 'Please specify an address in your request' } as const

export const STORM_FAULTS: readonly string[] = [...RPC_FAULTS, 'wants addresses', ...DATABASE_FAULTS, ...OF_PROCESSES]

/** The head is polled when all requests are answered, or after this time at the latest. */
const ROUND_MS = 8
const FAIR_ROUND_MS = 100
/** The longest back-off and requested silence, by the simulated clock, from the end of bad weather until everything is indexed. */
const MAX_WAITED_MS = 120_000
/** Requests of the bad weather may hang as long, in the time of a quiet machine; back-offs meanwhile pass at once. */
const MAX_HANGING_MS = 10 * RPC_TIMEOUT_MS

/** A request counts as unanswered until the answer's last byte, or until the caller gives up: a provider may hang in the body. */
async function answered(fetched: Promise<Response>, underWay: UnderWay): Promise<Response> {
  const response = await underWay.during(fetched)
  if (response.body === null) return response
  const [given, watched] = response.body.tee()
  void underWay.during(new Response(watched).arrayBuffer()).catch(() => undefined)
  return new Response(given, response)
}

/**
 * One service with a forking chain, failing providers, a failing database, and kills, all from a seed. Throws when it does not recover
 * in fair weather, or when anything differs from an undisturbed service.
 */
export async function weatherStorm(seed: number, rig: StormRig, hit: Hit, expectEqual: (a: unknown, b: unknown) => void): Promise<void> {
  const { indexed, fresh, proxy, orm } = rig
  const random = createRandom(seed)
  const maxReorgDepth = random.integer(3, 7)
  const confirmations = random.weighted([4, 2, 1])
  const longLists = hasLongLists(seed)
  const forking = createForkingChain(createRandom(seed + 1_000_003), maxReorgDepth, longLists ? strangersLogs : undefined, wideIndex)
  const { chain } = forking
  const clock = createManualClock()
  const databaseWeather = createDatabaseWeather(createRandom(seed + 2_000_003), hit)
  const providerWeathers = rig.providers.map((_, index) =>
    createProviderWeather(chain, createRandom(seed + 3_000_003 + index), hit, longLists ? FEW_LISTED : undefined),
  )
  // Real sockets are slow, so most storms call their providers without.
  const onSockets = random.chance(0.15)
  const urls = rig.providers
    .slice(0, random.integer(1, 3))
    .map(({ url, webSocketUrl }) => (onSockets && random.chance(0.5) ? webSocketUrl : url))
  const watcher = createTokenWatcher()
  const tellings: Tellings[] = []
  const underWay = createUnderWay()
  const steps = createUnderWay()

  /** What happens after a number of calls to providers or requests to the database. */
  let armed: { left: number; readonly when: () => boolean; happen(): void } | null = null
  let life: Life | null = null
  const tick = () => {
    if (armed === null || !armed.when() || armed.left-- > 0) return
    const { happen } = armed
    armed = null
    happen()
  }

  const kill = () => {
    if (life === null) return
    const { rpc, running, writer } = life
    life = null
    for (const telling of tellings) telling.killed ||= telling.writer === writer
    hit(`killed while it ${running.sync.view.state().backfill !== null ? 'backfills' : replacing ? 'replaces a reorg' : 'follows'}`)
    running.subscription.unsubscribe()
    void running.sync.stop()
    rpc.close()
    proxy.cutAll()
  }
  let replacing = false
  /** Whether the current request is a commit. */
  let committing = false
  let stormy = false

  const start = async (): Promise<Life> => {
    const started = await startLife({
      rpc: {
        urls,
        random: () => random.unit(),
        ...(onSockets ? {} : { fetch: (input, init) => answered(rig.fetch(input, init), underWay) }),
      },
      orm,
      clock,
      confirmations,
      maxReorgDepth,
      underWay,
      steps,
      onReplace: isReplacing => {
        replacing = isReplacing
      },
    })
    watcher.reconnect()
    const told: Hex[] = []
    tellings.push({ writer: started.writer, killed: false, began: () => started.startedAt()?.hash ?? null, told })
    const take = (block: CommittedBlock) => {
      told.push(block.hash)
      watcher.take(block)
    }
    started.running.subscription.add(started.running.sync.blocks.subscribe(take))
    return started
  }
  /** A supervisor: starts a service that ended with "try again" a second later. */
  const alive = async (): Promise<Life | null> => {
    try {
      life ??= await start()
    } catch (error) {
      // A provider that reports another chain may be the wrong one or only wrong now, so the start ends with 1.
      const wrongChain = hasCode(error, 'chain_mismatch') || hasCode(error, 'database_foreign')
      if (error instanceof TokenwireError && !error.retryable && !(wrongChain && stormy)) throw error
      hit('start that failed')
      clock.advance(1_000)
      await pause(1)
    }
    return life
  }

  const storm = () => {
    stormy = true
    databaseWeather.storm(random.pick([0, 0.1, 0.3, 0.6]))
    for (const weather of providerWeathers) weather.storm(random.pick([0.02, 0.1, 0.3, 0.5]))
  }
  const calm = () => {
    stormy = false
    databaseWeather.calm()
    for (const weather of providerWeathers) weather.calm()
    proxy.setServer('up')
    armed = null
    silentIn = null
  }
  const rounds = async (count: number, maxMs = ROUND_MS) => {
    for (let round = 0; round < count; round++) {
      clock.advance(250)
      const { running } = (await alive()) ?? {}
      // Requests on sockets are not counted as unanswered.
      await (onSockets ? running?.hint(ROUND_MS) : running?.hint(() => underWay.quiet(maxMs)))
    }
  }
  const caughtUp = async () => {
    calm()
    // The index keeps its blocks until the new chain has confirmed ones.
    const unconfirmed = chain.head().header.number < START_BLOCK + confirmations
    if (unconfirmed && (await cursorOf(indexed.kysely)) !== null) forking.mine(confirmations)
    const calmSince = performance.now()
    const hanging = startPatience(MAX_HANGING_MS)
    const waitedBefore = clock.waitedMs()
    const isTooLate = () =>
      performance.now() - calmSince > POLL_LIMIT_MS || (clock.waitedMs() - waitedBefore > MAX_WAITED_MS && hanging.isOver())
    for (let round = 1; ; round++) {
      await rounds(1, FAIR_ROUND_MS)
      const reason = life === null ? 'it does not start' : life.running.sync.view.state().reason
      const done = isAsFar(watcher.newest() ?? life?.startedAt() ?? null, chain, confirmations)
      // This chain does stand still.
      if (done && (reason === null || /stands still/.test(reason)) && (await isSettled(indexed.kysely))) {
        // A commit is visible in the database before it is emitted.
        await rounds(1, FAIR_ROUND_MS)
        return
      }
      if (isTooLate())
        throw new Error(
          `does not come back: ${JSON.stringify({
            reason,
            state: life?.running.sync.view.state(),
            head: chain.head().header.number,
            told: watcher.newest()?.number,
            began: life?.startedAt(),
            stands: await cursorOf(indexed.kysely),
            chain: chain.at(Math.max(0, chain.head().header.number - confirmations)).header.hash,
            waitedMs: clock.waitedMs() - waitedBefore,
            rounds: round,
            last: life?.running.log.lines().at(-1)?.['msg'],
          })}`,
        )
    }
  }
  /** A step that began before the last fork may have committed a block of it after all. */
  const isAtRest = async () => {
    await steps.quiet(POLL_LIMIT_MS)
    return isAsFar(await cursorOf(indexed.kysely), chain, confirmations)
  }
  const outage = async () => {
    const condition = random.pick(['refusing', 'starting', 'dead'] as const)
    if (condition === 'dead') {
      hit('all providers are dead')
      stormy = true
      for (const weather of providerWeathers) weather.storm(1)
    } else {
      hit(condition === 'refusing' ? 'database refuses connections' : 'database is starting up')
      proxy.setServer(condition)
      proxy.cutAll()
    }
    await rounds(random.integer(3, 8))
    proxy.setServer('up')
  }
  const arm = () => {
    const always = () => true
    const fork = () => {
      hit('reorg in the middle of a step')
      forking.fork(random.integer(1, maxReorgDepth), random.integer(-2, 3))
    }
    armed =
      [
        { left: random.integer(0, 60), when: always, happen: fork },
        { left: random.integer(0, 60), when: always, happen: kill },
        { left: random.integer(0, 2), when: () => committing, happen: kill },
        { left: random.integer(0, 12), when: () => replacing, happen: kill },
      ][random.weighted([3, 2, 2, 4])] ?? null
  }

  const silences = createRandom(seed + 5_000_003)
  /** The number of requests until the database goes silent; of commits: it goes silent at one. */
  let silentIn: { left: number; readonly ofCommits: boolean } | null = null
  const armSilence = () => {
    const ofCommits = silences.chance(0.4)
    silentIn = { left: silences.integer(0, ofCommits ? 2 : 40), ofCommits }
  }
  const goesSilent = (): boolean => {
    if (silentIn === null || (silentIn.ofCommits && !committing) || silentIn.left-- > 0) return false
    silentIn = null
    return true
  }

  for (const weather of providerWeathers) weather.calm()
  proxy.setMisfortune(request => {
    const before = life
    committing = request.kind === 'commit'
    tick()
    // A kill during a commit: the server has executed it or not.
    if (before !== null && life === null && committing) {
      hit('killed inside a commit')
      return random.pick<DatabaseMisfortune>([{ kind: 'cut-inside' }, { kind: 'cut-before' }, { kind: 'late', afterMs: 8 }])
    }
    if (goesSilent()) {
      hit(committing ? 'database goes silent at a commit' : 'database goes silent')
      rig.silence()
      return { kind: 'silence', hears: silences.chance(0.5) }
    }
    return databaseWeather.misfortune(request, replacing)
  })
  const listings = createRandom(seed + 4_000_003)
  const refusal = (call: FakeCall) => {
    if (!stormy || !isUnlisted(call) || !listings.chance(0.2)) return undefined
    hit('wants addresses')
    return WANTS_ADDRESSES
  }
  rig.show(providerWeathers.map(weather => ({ ...weather, misbehave: call => (tick(), refusal(call) ?? weather.misbehave(call)) })))
  await Promise.all([indexed.clear(), fresh.clear(), clearWitness(indexed.kysely)])
  await clearCommits(indexed.kysely)
  try {
    // Without faults: at the very first start a wrong provider's genesis block would be accepted.
    forking.mine(random.chance(0.5) ? random.integer(0, confirmations) : random.integer(1, confirmations + maxReorgDepth + 1))
    await caughtUp()
    const backfills = random.chance(0.5)
    forking.mine(backfills ? maxReorgDepth + random.integer(3, 12) : random.integer(1, 5))
    // Only a fork of indexed blocks is a reorg to be replaced.
    if (random.chance(backfills ? 0.2 : 0.7)) await caughtUp()
    for (let step = random.integer(1, 3); step > 0; step--) {
      if (random.chance(0.8)) storm()
      if (random.chance(0.6)) arm()
      if (silences.chance(0.2)) armSilence()
      switch (random.weighted([4, 5, 1, 2])) {
        case 0:
          forking.mine(random.integer(1, 5))
          break
        case 1:
          if (random.chance(0.5)) databaseWeather.strikeReplacement()
          forking.fork(random.integer(1, maxReorgDepth), random.integer(-2, 3))
          break
        case 2:
          kill()
          break
        default:
          await outage()
      }
      await rounds(random.integer(3, 10))
      if (random.chance(0.5)) await caughtUp()
    }
    calm()
    if (random.chance(0.5) || chain.head().header.number < START_BLOCK + confirmations) forking.mine(confirmations + 1)
    await caughtUp()
    while (!(await isAtRest())) {
      forking.mine(confirmations + 1)
      await caughtUp()
    }
    await expectUndisturbed((life as Life | null)?.index.directory)
  } finally {
    const last = life as Life | null
    last?.running.subscription.unsubscribe()
    await last?.running.sync.stop()
    last?.rpc.close()
    proxy.setMisfortune(undefined)
  }

  async function expectUndisturbed(directory: Directory | undefined): Promise<void> {
    await compareWithFresh({ indexed, fresh, chain, directory, watcher }, expectEqual)
    expectEqual(await sequenceFaults(indexed.kysely, watcher), [])
    expectEqual(await tellingFaults(indexed.kysely, tellings), [])
  }
}
