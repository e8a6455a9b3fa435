import { median } from '#benchmarks/harness/quantile.ts'
import { formatCount, formatMs, textTable } from '#benchmarks/harness/textTable.ts'
import type { BackfillResult, BackfillTurn } from './backfill.ts'
import type { CommitRowsResult } from './commitRows.ts'
import type { LiveResult } from './liveLatency.ts'

/** Medians over the turns of one contestant at one latency. */
export function reportBackfill({ contents, turns }: BackfillResult): string {
  const keys = [...new Set(turns.map(({ contestant, latencyMs }) => `${latencyMs} ${contestant}`))]
  const rows = keys.map(key => {
    const own = turns.filter(({ contestant, latencyMs }) => `${latencyMs} ${contestant}` === key)
    const { latencyMs = 0, contestant = '' } = own[0] ?? {}
    const ms = middle(own, turn => turn.ms) ?? Number.NaN
    const against = (name: string) =>
      middle(
        turns.filter(turn => turn.contestant === name && turn.latencyMs === latencyMs),
        turn => turn.ms,
      )
    const [floorMs, tokenwireMs] = [against('floor'), against('tokenwire')]
    const indexes = contestant !== 'floor'
    return [
      `${contestant}, ${latencyMs} ms`,
      `${(ms / 1_000).toFixed(1)} s`,
      indexes ? formatCount((contents.events * 1_000) / ms) : '',
      floorMs === null || !indexes ? '' : (ms / floorMs).toFixed(2),
      tokenwireMs === null || !indexes ? '' : (ms / tokenwireMs).toFixed(2),
      seconds(middle(own, turn => turn.cpuMs)),
      seconds(indexes ? middle(own, turn => turn.databaseCpuMs) : null),
      formatted(
        middle(own, turn => turn.peakRssMiB),
        value => `${value.toFixed(0)} MiB`,
      ),
      formatted(
        middle(own, turn => turn.rest?.p99Ms ?? null),
        formatMs,
      ),
    ]
  })
  const headings = [
    'contestant, latency',
    'time',
    'events/s',
    'time / floor',
    'time / Tokenwire',
    'CPU',
    'database CPU',
    'peak RSS',
    'tokens p99',
  ]
  const { blocks, transactions, logs, events, trades, addresses } = contents
  const chain = `${formatCount(blocks)} blocks, ${formatCount(transactions)} transactions, ${formatCount(logs)} logs of ${formatCount(addresses)} addresses, ${formatCount(events)} events, ${formatCount(trades)} trades`
  return `Backfill: ${chain}\n\n${textTable(headings, rows)}\n`
}

export function reportLive(results: readonly LiveResult[]): string {
  const rows = results.map(({ contestant, blocks, p50Ms, p99Ms, maxMs }) => [
    contestant,
    String(blocks),
    formatMs(p50Ms),
    formatMs(p99Ms),
    formatMs(maxMs),
  ])
  return `Live: from a block at the node to its trade at a client\n\n${textTable(['contestant', 'blocks', 'p50', 'p99', 'max'], rows)}\n`
}

export function reportCommitRows(results: readonly CommitRowsResult[]): string {
  const rows = results.map(({ table, method, rows, ms, rowsPerSecond }) => [
    `${table}, ${method}`,
    formatCount(rows),
    formatMs(ms),
    formatCount(rowsPerSecond),
  ])
  return `Commits: rows of one table in one transaction\n\n${textTable(['table, method', 'rows', 'time', 'rows/s'], rows)}\n`
}

function middle(turns: readonly BackfillTurn[], of: (turn: BackfillTurn) => number | null): number | null {
  const values = turns.map(of).filter(value => value !== null)
  return values.length === 0 ? null : median(values)
}

function seconds(ms: number | null): string {
  return formatted(ms, value => `${(value / 1_000).toFixed(1)} s`)
}

function formatted(value: number | null, format: (value: number) => string): string {
  return value === null ? '' : format(value)
}
