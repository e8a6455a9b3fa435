import { randomBytes } from 'node:crypto'
import type { MikroORM } from '@mikro-orm/postgresql'
import { sql } from 'kysely'
import type { StartDeadline } from '#store/connection/silence.ts'
import { openOrm, type TestDatabase, useDatabase } from '#test/support/database.ts'
import { type FakeProvider, startFakeProvider } from '#test/support/fakeProvider.ts'
import { installCommitWitness } from './commitWitness.ts'
import { type PostgresProxy, startPostgresProxy } from './postgresProxy.ts'
import type { ProviderWeather } from './rpcWeather.ts'
import { installSequenceWitness } from './sequenceWitness.ts'

const PROVIDERS = 3
/** Stand for the server's limit of 20 s and the client's of 25 s, which a storm does not wait for. */
const SERVER_LIMIT_MS = 10
const CLIENT_LIMIT_MS = 25

/** What storms share: databases, a proxy in front of one of them, and providers on sockets. */
export interface StormRig {
  readonly indexed: TestDatabase
  readonly fresh: TestDatabase
  readonly proxy: PostgresProxy
  /** The open connections to the indexed database pass nothing any more. The server ends their sessions a little later. */
  silence(): void
  /** Connects to the indexed database through the proxy. */
  readonly orm: MikroORM
  readonly providers: readonly FakeProvider[]
  /** Calls the providers by their addresses, without sockets. */
  readonly fetch: typeof fetch
  /** The weather of each provider. */
  show(weathers: readonly ProviderWeather[]): void
  stop(): Promise<void>
}

export async function openStormRig(): Promise<StormRig> {
  const [indexed, fresh] = await Promise.all([useDatabase(), useDatabase()])
  await installSequenceWitness(indexed.kysely)
  await installCommitWitness(indexed.kysely)
  const proxy = await startPostgresProxy({ url: await cheapUser(indexed) })
  let shown: readonly ProviderWeather[] = []
  const weatherOf = (index: number): ProviderWeather => {
    const weather = shown[index]
    if (weather === undefined) throw new TypeError(`provider ${index + 1} is asked and shows nothing`)
    return weather
  }
  const providers = await Promise.all(
    Array.from({ length: PROVIDERS }, (_, index) =>
      startFakeProvider({
        chain: { answer: (method, params) => weatherOf(index).answer(method, params) },
        misbehave: call => weatherOf(index).misbehave(call),
        shuffleBatches: () => weatherOf(index).shuffles(),
      }),
    ),
  )
  return {
    indexed,
    fresh,
    proxy,
    silence: () => {
      proxy.silenceAll()
      setTimeout(proxy.endSilentSessions, SERVER_LIMIT_MS)
    },
    orm: openOrm(proxy.url, { poolSize: 4, connectTimeoutMs: 5_000, startDeadline: whileSilent(proxy) }),
    providers,
    fetch: (input, init) => {
      const provider = providers.find(({ url }) => url === input)
      if (provider === undefined) throw new TypeError('no provider of that address')
      return provider.fetch(input, init)
    },
    show: weathers => {
      shown = weathers
      for (const { calls } of providers) calls.length = 0
    },
    stop: async () => {
      for (const provider of providers) await provider.stop()
      await proxy.stop()
    },
  }
}

/** Deadlines that expire only while a connection is silent: without a fault, a busy machine misses none. */
function whileSilent(proxy: PostgresProxy): StartDeadline {
  return (_, expire) => {
    const timer = setInterval(() => {
      if (proxy.hasSilentClients()) expire()
    }, CLIENT_LIMIT_MS)
    return () => clearInterval(timer)
  }
}

/** The URL of a user with a cheap password check: a storm connects often, and the usual check is slow on purpose. */
async function cheapUser({ url, kysely }: TestDatabase): Promise<string> {
  const name = `storm_${randomBytes(6).toString('hex')}`
  await kysely.transaction().execute(async transaction => {
    // PostgreSQL 15 lacks this setting.
    await sql`select set_config(name, '1', true) from pg_settings where name = 'scram_iterations'`.execute(transaction)
    await sql`create role ${sql.id(name)} superuser login password ${sql.lit(name)}`.execute(transaction)
  })
  const address = new URL(url)
  address.username = name
  address.password = name
  return address.href
}
