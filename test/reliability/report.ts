import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import process from 'node:process'
import type { Group, Scenario } from './scenario.ts'
import type { ChainKind } from './world/chain.ts'

export interface Outcome {
  readonly check: string
  readonly passed: boolean
  /** What was measured, or why it failed. */
  readonly figure: string | null
}

export interface RunResult {
  readonly scenario: Scenario
  readonly run: number
  readonly kind: ChainKind
  readonly outcomes: readonly Outcome[]
}

/** What the authors of the public suite publish, each in three runs of their own harness. */
const PUBLISHED = [
  ['Envio', '44 of 44'],
  ['SQD', '40 of 44'],
  ['The Graph', '39 of 42'],
  ['Ponder', '38 of 44'],
  ['SubQuery', '33 of 44'],
  ['rindexer', '30 of 44'],
]
const PUBLIC_GROUPS: readonly Group[] = ['crash recovery', 'reorgs', 'RPC faults', 'data', 'head latency']
const DOCUMENT = 'docs/reliability.md'
const MARKS = { begin: '<!-- results of the last whole run -->', end: '<!-- end of the results -->' }

interface Row {
  readonly group: Group
  readonly check: string
  readonly runs: readonly Outcome[]
}

export function isPassed({ runs }: Row): boolean {
  return runs.every(({ passed }) => passed)
}

/** A row for each check, in the order of the scenarios, with the outcome of each run. */
export function rowsOf(results: readonly RunResult[]): readonly Row[] {
  const scenarios = new Set(results.map(({ scenario }) => scenario))
  return [...scenarios].flatMap(scenario =>
    scenario.checks.map((check, index) => {
      const runs = results.filter(result => result.scenario === scenario).toSorted((a, b) => a.run - b.run)
      return { group: scenario.group, check, runs: runs.flatMap(({ outcomes }) => outcomes[index] ?? []) }
    }),
  )
}

/** The table as text for a terminal and for `docs/reliability.md`. */
export function tableOf(rows: readonly Row[]): string {
  const cells = rows.map(({ group, check, runs }) => [
    group,
    check,
    runs.map(({ passed }) => (passed ? '✓' : '✗')).join(' '),
    [...new Set(runs.flatMap(({ figure }) => figure ?? []))].join('; ').replaceAll('|', '\\|').replaceAll('\n', ' '),
  ])
  return markdownTable([['group', 'check', 'runs', 'measured'], ...cells])
}

/** How many checks hold, beside the scores that the public suite's authors publish. */
export function summaryOf(rows: readonly Row[]): string {
  const score = (of: readonly Row[]) => `${of.filter(isPassed).length} of ${of.length}`
  const groups = [...Map.groupBy(rows, ({ group }) => group)].map(([group, of]) => [group, score(of)])
  const asked = rows.filter(({ group }) => PUBLIC_GROUPS.includes(group))
  const compared =
    asked.length === 0 ? '' : `\n${markdownTable([['indexer', 'public checks passed'], ['Tokenwire', score(asked)], ...PUBLISHED])}`
  return `${markdownTable([['group', 'passed in every run'], ...groups])}${compared}`
}

/** Puts the results of a whole run into `docs/reliability.md`, between its marks. */
export function writeDocument(rows: readonly Row[], { full, took }: { readonly full: boolean; readonly took: string }): void {
  const text = readFileSync(DOCUMENT, 'utf8')
  const [before = '', after = ''] = [text.split(MARKS.begin)[0], text.split(MARKS.end)[1]]
  const cores = availableParallelism()
  const how = `${full ? 'With the public durations' : 'With shortened durations'}, on ${cores} cores, Node ${process.version}: ${took}.`
  writeFileSync(DOCUMENT, `${before}${MARKS.begin}\n\n${how}\n\n${summaryOf(rows)}\n${tableOf(rows)}\n${MARKS.end}${after}`)
}

function markdownTable([head = [], ...rows]: readonly (readonly string[])[]): string {
  const widths = head.map((_, column) => Math.max(3, ...[head, ...rows].map(row => (row[column] ?? '').length)))
  const line = (row: readonly string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`
  return `${[line(head), line(widths.map(width => '-'.repeat(width))), ...rows.map(line)].join('\n')}\n`
}
