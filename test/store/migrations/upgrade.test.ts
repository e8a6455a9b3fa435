import { sql } from 'kysely'
import { afterAll, describe, expect, test } from 'vitest'
import type { Address } from '#domain/address.ts'
import type { Token } from '#resources/token.ts'
import { startTestChain, type TestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { dumpTables } from '#test/support/indexChain.ts'
import { type Service, type ServiceFolder, serviceFolder } from '#test/support/service.ts'
import { readReleases, restoreDump, tradeAfter, writeRelease } from './releases.ts'

/* The databases that releases have left are opened by this version. */

if (process.env['UPDATE_RELEASE'] === 'true') await writeRelease()
const releases = await readReleases()

test('each release has left one', () => expect(releases.length).toBeGreaterThan(0))

describe.each(releases)('the database of $version', ({ dump, chain: stored }) => {
  let chain: TestChain
  let folder: ServiceFolder
  afterAll(async () => {
    await folder?.remove()
    await chain?.stop()
  })

  const tokensOf = async ({ url }: Service) => {
    const { data } = (await (await fetch(`${url}/api/tokens?sort=createdAt`)).json()) as { data: readonly Token[] }
    return new Map(data.map(token => [token.symbol, token]))
  }
  const launchedOf = ({ address, creator, pool }: Token) => ({ token: address, curve: pool?.address as Address, creator })

  test('is migrated, goes on, and ends as a fresh index does, with its kept logs and with sequences that rise', async () => {
    chain = await startTestChain({ stored })
    folder = await serviceFolder(chain)
    const [old, fresh] = [await useDatabase({ migrated: false }), await useDatabase({ migrated: false })]
    await restoreDump(old, dump)
    const sequences = () => sql<{ symbol: string; sequence: number }>`select symbol, sequence from token`.execute(old.kysely)
    const keptLogs = async () => (await sql`select * from tokenwire_logs.range order by 1, 2`.execute(old.kysely)).rows
    const [before, keptBefore] = [(await sequences()).rows, await keptLogs()]
    expect(keptBefore.length).toBeGreaterThan(0)

    const service = await folder.start({ DATABASE_URL: old.url })
    await service.indexed(await chain.head())
    const tokens = await tokensOf(service)
    await tradeAfter(
      chain,
      ['ALP', 'BET'].map(symbol => launchedOf(tokens.get(symbol) ?? expect.unreachable())),
    )
    await service.indexed(await chain.head())
    const after = await tokensOf(service)
    for (const { symbol, sequence } of before) expect(after.get(symbol)?.sequence).toBeGreaterThan(sequence)
    expect(await service.stop()).toBe(0)

    const again = await folder.start({ DATABASE_URL: fresh.url })
    await again.indexed(await chain.head())
    expect(await again.stop()).toBe(0)
    expect(await dumpTables(old.kysely)).toEqual(await dumpTables(fresh.kysely))
    expect(await keptLogs()).toEqual(keptBefore)
  })
})
