import { describe, expect, it } from 'vitest'
import type { BackfillProgress } from '#domain/health.ts'
import { createBackfillReport } from '#sync/backfillReport.ts'
import { createLogLines } from '#test/support/logLines.ts'
import { createManualClock } from '#test/support/manualClock.ts'

function open() {
  const clock = createManualClock()
  const { logger, lines } = createLogLines()
  const shown: (BackfillProgress | null)[] = []
  const report = createBackfillReport({
    state: { backfilling: progress => shown.push(progress) },
    startBlock: 100,
    logger,
    nowMs: () => clock.nowMs(),
  })
  return {
    report,
    clock,
    shown,
    lines,
    commit: (to: number) => report.committed(to, 0),
  }
}

describe('the report of a backfill', () => {
  it('shows the progress from the first plan on, and nothing once the rest is followed', () => {
    const { report, clock, shown, commit } = open()
    report.planned({ kind: 'backfill', from: 150, target: 199 })
    expect(shown.at(-1)).toMatchObject({ fromBlock: '100', currentBlock: '149', toBlock: '199', percent: 50, secondsLeft: null })
    clock.advance(1_000)
    commit(174)
    expect(shown.at(-1)).toMatchObject({ currentBlock: '174', percent: 75, blocksPerSecond: 25, secondsLeft: 1 })
    report.planned({ kind: 'follow', from: 200, target: 249 })
    expect(shown.at(-1)).toBeNull()
  })

  it('says nothing at all while blocks are followed', () => {
    const { report, shown, commit, lines } = open()
    report.planned({ kind: 'follow', from: 200, target: 201 })
    commit(200)
    report.planned({ kind: 'idle' })
    expect({ shown, lines: lines() }).toEqual({ shown: [], lines: [] })
  })

  it('writes a line at the beginning, at most every five seconds, and at the end', () => {
    const { report, clock, commit, lines } = open()
    for (let second = 0; second < 20; second++) {
      report.planned({ kind: 'backfill', from: 100 + second, target: 1_000 })
      clock.advance(1_000)
      commit(100 + second)
    }
    report.planned({ kind: 'idle' })
    expect(lines().map(({ msg }) => msg)).toEqual([...Array.from({ length: 5 }, () => 'backfill'), 'backfill done'])
    expect(lines().at(-1)).toMatchObject({ toBlock: 1_000, seconds: 20 })
  })

  it('begins anew when there is a second one', () => {
    const { report, clock, shown, commit } = open()
    report.planned({ kind: 'backfill', from: 100, target: 200 })
    clock.advance(1_000)
    commit(200)
    report.planned({ kind: 'follow', from: 201, target: 250 })
    clock.advance(3_600_000)
    report.planned({ kind: 'backfill', from: 251, target: 350 })
    clock.advance(1_000)
    commit(261)
    expect(shown.at(-1)).toMatchObject({ currentBlock: '261', blocksPerSecond: 11 })
  })
})
