import { sql } from 'kysely'
import pino from 'pino'
import { firstThreadCpuMs, ownCpuMs } from '#benchmarks/support/processorTime.ts'
import { median } from '#benchmarks/support/quantile.ts'
import type { Address } from '#domain/address.ts'
import { createOrm } from '#store/connection/orm.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'

/** Of one state, in ms of processor time. */
export interface ReadingCost {
  /** Of the PostgreSQL backend that reads it. */
  readonly databaseMs: number
  /** Of the process that asks for it. */
  readonly readerMs: number
}

/** As many as a gateway reads with one statement. */
const MAX_STATES = 200
const READS = 30
const WARM_UP_READS = 10

/** What it costs to read the states of changed tokens as a gateway does: the median of many reads. */
export async function costOfReading(databaseUrl: string, chainId: number, tokens: readonly Address[]): Promise<ReadingCost> {
  const orm = createOrm(databaseUrl, pino({ level: 'silent' }), { poolSize: 1 })
  const db = orm.em.getKysely<unknown>()
  const addresses = tokens.slice(0, MAX_STATES)
  const costs: ReadingCost[] = []
  try {
    for (let read = 0; read < WARM_UP_READS + READS; read++) {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db)
      const pid = rows[0]?.pid ?? 0
      const before = { databaseMs: firstThreadCpuMs(pid), readerMs: ownCpuMs() }
      const { length } = await readSnapshots(db, { chainId, addresses })
      if (length !== addresses.length) throw new Error(`${addresses.length} states were asked for, ${length} came`)
      if (read < WARM_UP_READS) continue
      costs.push({ databaseMs: (firstThreadCpuMs(pid) - before.databaseMs) / length, readerMs: (ownCpuMs() - before.readerMs) / length })
    }
  } finally {
    await orm.close(true)
  }
  return { databaseMs: median(costs.map(({ databaseMs }) => databaseMs)), readerMs: median(costs.map(({ readerMs }) => readerMs)) }
}
