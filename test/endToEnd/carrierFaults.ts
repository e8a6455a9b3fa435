import { type Kysely, sql } from 'kysely'
import type { TestChain } from '#test/support/chain.ts'
import type { PostgresProxy } from '#test/support/faults/postgresProxy.ts'
import type { NatsServer } from '#test/support/nats.ts'
import type { PgBouncer } from '#test/support/pgBouncer.ts'
import type { Replication } from '#test/support/replication.ts'
import { type Cluster, kill, until, whileStopped } from './cluster.ts'
import type { MovingClient } from './movingClient.ts'

interface CarrierParts {
  readonly chain: TestChain
  readonly cluster: Cluster
  /** One of each gateway. */
  readonly clients: readonly MovingClient[]
  readonly replication: Replication
  readonly primary: Kysely<unknown>
  readonly proxy: PostgresProxy
  /** `null`: there is none on this machine. */
  readonly nats: NatsServer | null
  readonly bouncer: PgBouncer | null
  readonly trade: (blocks?: number) => Promise<void>
  readonly indexedBlock: () => Promise<number>
  /** Returns an integer from the first to the second. */
  readonly draw: (from: number, to: number) => number
}

/** What happens to the parts of a cluster, by name. */
export function carrierFaults(parts: CarrierParts): Readonly<Record<string, () => Promise<void>>> {
  const { chain, cluster, clients, replication, primary, proxy, nats, bouncer, trade, indexedBlock, draw } = parts

  /** The server ends the session of a stopped indexer when no heartbeat has come for 20 s; here at once. */
  const standbyTakesOver = async (): Promise<void> => {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'tokenwire-writer' and datname = current_database()`.execute(primary)
    await trade()
    const head = await chain.head()
    await until('the standby has indexed the head', async () => (await indexedBlock()) >= head)
  }

  return {
    'the indexer is killed': async () => {
      await kill([await cluster.indexer()])
      await trade()
    },
    'the indexer is stopped, and continues after its standby took over': async () => {
      await whileStopped(await cluster.indexer(), standbyTakesOver)
    },
    'the indexer is stopped, and continues when the standby that took over dies': async () => {
      const stopped = await cluster.indexer()
      await whileStopped(stopped, async () => {
        await standbyTakesOver()
        await kill(cluster.writers.filter(one => one !== stopped))
      })
      await trade()
    },
    'the standby is killed': async () => {
      const current = await cluster.indexer()
      await kill(cluster.writers.filter(one => one !== current))
      await trade()
    },
    'a gateway is killed': async () => {
      const index = draw(0, cluster.gateways.length - 1)
      await kill([cluster.gateway(index)])
      await trade()
      await clients[index]?.connect(cluster.gateway((index + 1) % cluster.gateways.length).url)
      await trade()
      await cluster.restartGateway(index)
      await clients[index]?.connect(cluster.gateway(index).url)
    },
    'a gateway is stopped and continues': async () => {
      await whileStopped(cluster.gateway(draw(0, cluster.gateways.length - 1)), () => trade())
    },
    'NATS is killed': async () => {
      await nats?.kill()
      await trade()
      await nats?.start()
      await trade(1)
    },
    'NATS is stopped and continues': async () => {
      nats?.freeze()
      await trade()
      nats?.thaw()
    },
    'PgBouncer is killed': async () => {
      await bouncer?.kill()
      await trade()
      await bouncer?.start()
      await trade(1)
    },
    'PgBouncer is stopped and continues': async () => {
      bouncer?.freeze()
      await trade()
      bouncer?.thaw()
    },
    'the server ends sessions while PgBouncer is stopped': async () => {
      bouncer?.freeze()
      await sql`select pg_terminate_backend(pid) from pg_stat_activity
        where application_name like 'tokenwire-%' and datname = current_database()`.execute(primary)
      await trade()
      bouncer?.thaw()
    },
    'the replica is killed': async () => {
      await replication.killReplica()
      await trade()
      await replication.startReplica()
    },
    'the replica falls behind': async () => {
      await replication.pauseReplay()
      await trade()
      await replication.resumeReplay()
    },
    'the primary is killed': async () => {
      await replication.killPrimary()
      await trade()
      await replication.startPrimary()
      await trade(1)
    },
    'connections to the primary are cut': async () => {
      proxy.setServer('refusing')
      proxy.cutAll()
      await trade()
      proxy.setServer('up')
    },
    'connections to the primary go silent': async () => {
      proxy.silenceAll()
      await trade()
    },
    'a reorg': async () => {
      await chain.reorg(draw(1, 8))
      await trade()
    },
  }
}

/** After all others, the process that indexed before goes on. */
export const mayReplaceIndexer = (fault: string, areWritersPooled: boolean) =>
  REPLACING.has(fault) || (areWritersPooled && fault === 'PgBouncer is killed')

const REPLACING: ReadonlySet<string> = new Set([
  'the indexer is killed',
  'the indexer is stopped, and continues after its standby took over',
  'the indexer is stopped, and continues when the standby that took over dies',
  'the server ends sessions while PgBouncer is stopped',
  'the primary is killed',
])

/** Without `CARRIER_ROUNDS`: `gateways.test.ts` has the others, one by one. */
export const USUAL_FAULTS: ReadonlySet<string> = new Set([
  'the indexer is stopped, and continues when the standby that took over dies',
  'a gateway is killed',
  'NATS is killed',
  'PgBouncer is killed',
  'the replica is killed',
  'the primary is killed',
  'a reorg',
])
