import { median, quantile } from '#benchmarks/harness/quantile.ts'
import { quantileRatio } from '#benchmarks/harness/quantileRatio.ts'
import { formatCount, formatMs, textTable } from '#benchmarks/harness/textTable.ts'
import type { GrowthResult, RequestTimes } from './growth.ts'
import type { InTurns } from './hotToken.ts'
import type { RouteTimes } from './load.ts'

/** The results for a terminal. */
export function reportGrowth({ settings, tables, requests, hotToken, commits }: GrowthResult): string {
  return [
    `growth: ${formatCount(settings.scale.trades)} trades of ${formatCount(settings.scale.tokens)} tokens`,
    reportTables(tables),
    ...(requests === null ? [] : [reportRequests(requests, settings)]),
    ...(hotToken === null ? [] : [reportHotToken(hotToken, settings)]),
    ...(commits === null ? [] : [reportCommits(commits, settings)]),
    '',
  ].join('\n\n')
}

function reportTables(tables: GrowthResult['tables']): string {
  const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GB`
  return textTable(
    ['', 'rows', 'table', 'indexes'],
    Object.entries(tables).map(([name, { rows, bytes, indexBytes }]) => [name, formatCount(rows), gigabytes(bytes), gigabytes(indexBytes)]),
  )
}

function reportRequests({ usual, withBulk, withoutBlocks }: RequestTimes, settings: GrowthResult['settings']): string {
  const { concurrency, blockEveryMs, tradesPerBlock } = settings
  const cells = (times: readonly RouteTimes[], asked: string) => {
    const found = times.find(({ route }) => route === asked)
    return found === undefined ? ['', ''] : [formatMs(found.p50Ms), formatMs(found.p99Ms)]
  }
  const table = textTable(
    ['', 'requests', 'p50', 'p99', 'slowest', 'beside megabytes: p50', 'p99', 'without blocks: p50', 'p99'],
    withBulk.map(({ route }) => {
      const { requests, mostMs } = usual.find(times => times.route === route) ?? {}
      const head =
        requests === undefined || mostMs === undefined
          ? ['', '', '', '']
          : [formatCount(requests), ...cells(usual, route), formatMs(mostMs)]
      return [route, ...head, ...cells(withBulk, route), ...cells(withoutBlocks, route)]
    }),
  )
  return `requests: ${concurrency} at a time, a block of ${tradesPerBlock} trades every ${formatMs(blockEveryMs)}\n\n${table}`
}

function reportHotToken(times: NonNullable<GrowthResult['hotToken']>, { tradesPerBlock }: GrowthResult['settings']): string {
  const { sizes, commitMs, commitCpuMs, subscriptionMs } = times
  const row = (name: string, { hot, quiet }: InTurns) => {
    const { ratio, low, high } = quantileRatio(alone(hot), alone(quiet), 0.5)
    return [name, formatMs(median(quiet)), formatMs(median(hot)), `${ratio.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`]
  }
  const nameOf = (size: (typeof sizes)['hot']) => `${formatCount(size.trades)} trades, ${formatCount(size.holders)} holders`
  return textTable(
    [`a hot token, ${commitMs.hot.length} turns`, nameOf(sizes.quiet), nameOf(sizes.hot), 'hot ÷ quiet, 95 % interval'],
    [
      row(`commit of ${tradesPerBlock} of its trades`, commitMs),
      row('processor time of it', commitCpuMs),
      row('subscription to first state', subscriptionMs),
    ],
  )
}

function alone(values: readonly number[]): readonly (readonly number[])[] {
  return values.map(value => [value])
}

function reportCommits(commits: NonNullable<GrowthResult['commits']>, { young, tradesPerBlock }: GrowthResult['settings']): string {
  const row = (name: string, of: 'blocksMs' | 'batchesMs') => {
    const cells = [commits.young, commits.large].flatMap(times => {
      const sorted = times[of].toSorted((a, b) => a - b)
      return [formatMs(median(sorted)), formatMs(quantile(sorted, 0.95))]
    })
    return [name, ...cells, (median(commits.large[of]) / median(commits.young[of])).toFixed(2)]
  }
  const table = textTable(
    ['', 'young, p50', 'p95', 'large, p50', 'p95', 'large ÷ young'],
    [
      row(`block of ${tradesPerBlock} trades`, 'blocksMs'),
      row(`range of ${formatCount(commits.large.tradesPerBatch)} trades`, 'batchesMs'),
    ],
  )
  return `commits, beside ${formatCount(young.trades)} trades of the same in a day\n\n${table}`
}
