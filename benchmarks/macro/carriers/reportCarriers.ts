import { median, quantile } from '#benchmarks/support/quantile.ts'
import { formatMs, textTable } from '#benchmarks/support/textTable.ts'
import type { LargeBlocks } from './largeBlock.ts'
import type { ListenedCommits } from './listeners.ts'

/** A table of times in ms: a row for each list. */
export function reportTimes(rows: readonly (readonly [name: string, values: readonly number[]])[]): string {
  const cells = rows.map(([name, values]) => [name, p50(values), p99(values), String(values.length)])
  return `${textTable(['', 'p50', 'p99', 'n'], cells)}\n`
}

export function reportListeners(carrier: string, results: readonly ListenedCommits[]): string {
  const [none] = results
  if (none === undefined) return ''
  const headings = [
    `commits, gateways by ${carrier}`,
    'commit p50',
    'p99',
    'writer CPU',
    '×',
    'its backend CPU',
    '×',
    'all of PostgreSQL',
    'gateways',
  ]
  const rows = results.map(({ listeners, tookMs, writerCpuMs, backendCpuMs, databaseCpuMs, gatewaysCpuMs }) => [
    `${listeners} listen`,
    p50(tookMs),
    p99(tookMs),
    p50(writerCpuMs),
    ratio(writerCpuMs, none.writerCpuMs),
    p50(backendCpuMs),
    ratio(backendCpuMs, none.backendCpuMs),
    mean(databaseCpuMs),
    mean(gatewaysCpuMs),
  ])
  return `${textTable(headings, rows)}\n`
}

export function reportLargeBlocks(tokens: number, { results, reading }: LargeBlocks): string {
  const headings = [
    `a block of ${tokens} tokens`,
    'commit → first p50',
    'commit → last p50',
    'p99',
    'mined → last p50',
    'p99',
    'CPU: writer',
    'gateways',
    'PostgreSQL',
    'clients',
    'n',
  ]
  const rows = results.map(({ arm, firstMs, lastMs, minedMs, writerCpuMs, gatewaysCpuMs, databaseCpuMs, clientsCpuMs }) => [
    arm,
    p50(firstMs),
    p50(lastMs),
    p99(lastMs),
    p50(minedMs),
    p99(minedMs),
    mean(writerCpuMs),
    mean(gatewaysCpuMs),
    mean(databaseCpuMs),
    mean(clientsCpuMs),
    String(lastMs.length),
  ])
  const cost = `${formatMs(reading.databaseMs)} in PostgreSQL, ${formatMs(reading.readerMs)} in the process that asks`
  return `${textTable(headings, rows)}\n\nreading a state, processor time: ${cost}\n`
}

function p50(values: readonly number[]): string {
  return formatMs(median(values))
}

function p99(values: readonly number[]): string {
  return formatMs(
    quantile(
      values.toSorted((a, b) => a - b),
      0.99,
    ),
  )
}

function mean(values: readonly number[]): string {
  return values.length === 0 ? '–' : formatMs(values.reduce((sum, value) => sum + value, 0) / values.length)
}

function ratio(values: readonly number[], to: readonly number[]): string {
  return (median(values) / median(to)).toFixed(2)
}
