import { pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { type BackfillSettings, backfill } from '#benchmarks/macro/backfill/backfill.ts'
import { reportBackfill } from '#benchmarks/macro/backfill/reportBackfill.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

/** The smallest chain of which a part is indexed in ranges. Its times mean nothing; its checks do. */
const TINY: BackfillSettings = {
  chain: { seed: 7, tokens: 4, trades: 150, wallets: 20, blocks: 160, secondsPerBlock: 12 },
  latenciesMs: [0],
  contestants: [
    { name: 'floor', latenciesMs: [0] },
    { name: 'tokenwire', latenciesMs: [0] },
    { name: 'tokenwire-read', latenciesMs: [0] },
  ],
  rounds: 1,
  limits: { maxBlocks: 50, maxLogs: 100 },
}

const folder = await makeTemporaryFolder()
afterAll(() => folder.remove())

describe('the backfill benchmark', () => {
  it('makes a chain on which nothing fails, and indexes all of it', async () => {
    const { contents, turns } = await backfill(TINY, () => undefined, pathToFileURL(`${folder.path}/`))
    // Every planned trade, and the creators' first buys inside their launches.
    expect(contents.trades).toBeGreaterThanOrEqual(150)
    expect(contents.trades).toBeLessThanOrEqual(154)
    expect(contents.events).toBeGreaterThan(2 * contents.trades)
    expect(turns.map(({ contestant }) => contestant)).toEqual(['floor', 'tokenwire', 'tokenwire-read'])
    const [floor, tokenwire, read] = turns
    expect(floor?.source.refused).toBe(0)
    expect(floor?.source.calls['eth_getBlockByNumber']).toBe(contents.blocksWithLogs)
    for (const { ms } of turns) expect(ms).toBeGreaterThan(0)
    expect(tokenwire?.rest).toBeNull()
    expect(read?.rest?.requests).toBeGreaterThan(0)
    expect(reportBackfill({ settings: TINY, contents, turns })).toContain('tokenwire, 0 ms')
  })
})
