import { sql } from 'kysely'
import type { Logger } from 'pino'
import { coalesce } from '#async/coalesce.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'

/** How many of the newest graduations are looked at. */
const GRADUATIONS = 200

interface UnseenPools {
  /** To be called at the start and after every commit. Returns at once. */
  committed(): void
  /** Launchpads whose newest graduation went into a pool of which no log was seen. */
  problems(): readonly string[]
  stop(): Promise<void>
}

/**
 * Says which launchpads' graduations lead to pools without a log: then the entry names another pool than the one in which the token trades,
 * its trades are missing, and nothing else would show it.
 */
export function createUnseenPools({ db, logger }: { readonly db: Queryable; readonly logger: Logger }): UnseenPools {
  let problems: readonly string[] = []
  const runs = coalesce(
    async () => {
      const found = await readUnseenPools(db)
      for (const one of found) if (!problems.includes(one)) logger.warn(one)
      problems = found
    },
    err => logger.debug({ err }, 'the pools of graduations could not be looked at; the next commit tries again'),
  )
  return {
    committed: () => runs.request(undefined),
    problems: () => problems,
    stop: () => {
      runs.stop()
      return runs.settled()
    },
  }
}

async function readUnseenPools(db: Queryable): Promise<readonly string[]> {
  const { rows } = await sql<{ launchpad: string; token: string; pool: string }>`
    with newest as (
      select distinct on (token.launchpad) token.launchpad, token.address, token.graduated_pool
      from (
        select token, block_number, log_index from milestone where kind = 'graduation' and status = 'migrated'
        order by block_number desc, log_index desc limit ${GRADUATIONS}) as graduation
      join token on token.address = graduation.token and token.graduated_pool is not null
      order by token.launchpad, graduation.block_number desc, graduation.log_index desc)
    select newest.launchpad, '0x' || encode(newest.address, 'hex') as token, '0x' || encode(newest.graduated_pool, 'hex') as pool
    from newest
    left join pool on pool.address = newest.graduated_pool and pool.token = newest.address
    where pool.last_changed_block is null order by newest.launchpad`.execute(db)
  return rows.map(
    ({ launchpad, token, pool }) =>
      `launchpad ${launchpad}: token ${token} graduated into ${pool}, of which no log was seen; ` +
      'check pool and poolType of its event graduate: the factory and codeHash, or whether it trades in a pool of another kind',
  )
}
