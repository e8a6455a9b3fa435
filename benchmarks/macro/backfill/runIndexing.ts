import { readFileSync } from 'node:fs'
import { type BackfillResult, backfill, FULL_BACKFILL, SHORT_BACKFILL } from './backfill.ts'
import { type CommitRowsResult, commitRows } from './commitRows.ts'
import type { Peer } from './installPeers.ts'
import { type LiveResult, liveLatency } from './liveLatency.ts'
import { reportBackfill, reportCommitRows, reportLive } from './reportBackfill.ts'

export interface IndexingResult {
  readonly peers: Readonly<Record<Peer, string>>
  readonly backfill: BackfillResult
  readonly live: readonly LiveResult[]
  readonly commitRows: readonly CommitRowsResult[]
}

function versionOf(peer: string, name: string): string {
  const text = readFileSync(new URL(`../../peers/${peer}/package.json`, import.meta.url), 'utf8')
  return (JSON.parse(text) as { readonly dependencies: Readonly<Record<string, string>> }).dependencies[name] ?? 'unknown'
}

const VERSIONS: Readonly<Record<Peer, string>> = {
  ponder: versionOf('ponder', 'ponder'),
  envio: versionOf('envio', 'envio'),
  sqd: versionOf('sqd', '@subsquid/evm-processor'),
}

/** All benchmarks of indexing: a backfill, a followed chain, and single commits. */
export async function runIndexing(extent: 'short' | 'full', print: (text: string) => void): Promise<IndexingResult> {
  const full = extent === 'full'
  const filled = await backfill(full ? FULL_BACKFILL : SHORT_BACKFILL, print)
  print(`\n${reportBackfill(filled)}`)
  const live = await liveLatency({ blocks: full ? 60 : 10, blockTimeMs: 1_000, ponder: true }, print)
  print(`\n${reportLive(live)}`)
  const rows = await commitRows({ sizes: full ? [1, 10, 1_000, 50_000] : [1, 10, 1_000], repeats: 30 })
  print(reportCommitRows(rows))
  return { peers: VERSIONS, backfill: filled, live, commitRows: rows }
}
