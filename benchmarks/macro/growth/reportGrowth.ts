import { median, quantile } from '#benchmarks/support/quantile.ts'
import { formatCount, formatMs, textTable } from '#benchmarks/support/textTable.ts'
import type { GrowthResult } from './growth.ts'

/** The results for a terminal. */
export function reportGrowth({ settings, tables, routes, commits }: GrowthResult): string {
  const { scale, concurrency, blockEveryMs, tradesPerBlock } = settings
  const gigabytes = (bytes: number) => `${(bytes / 2 ** 30).toFixed(2)} GB`
  const row = (name: string, of: 'blocksMs' | 'batchesMs', ratio: number) => {
    const cells = [commits.young, commits.large].flatMap(times => {
      const sorted = times[of].toSorted((a, b) => a - b)
      return [formatMs(median(sorted)), formatMs(quantile(sorted, 0.95))]
    })
    return [name, ...cells, ratio.toFixed(2)]
  }
  return [
    `growth: ${formatCount(scale.trades)} trades of ${formatCount(scale.tokens)} tokens`,
    '',
    textTable(
      ['', 'rows', 'table', 'indexes'],
      Object.entries(tables).map(([name, { rows, bytes, indexBytes }]) => [
        name,
        formatCount(rows),
        gigabytes(bytes),
        gigabytes(indexBytes),
      ]),
    ),
    '',
    `requests: ${concurrency} at a time, a block of ${tradesPerBlock} trades every ${formatMs(blockEveryMs)}`,
    '',
    textTable(
      ['', 'requests', 'p50', 'p99', 'slowest'],
      routes.map(({ route, requests, p50Ms, p99Ms, mostMs }) => [
        route,
        formatCount(requests),
        formatMs(p50Ms),
        formatMs(p99Ms),
        formatMs(mostMs),
      ]),
    ),
    '',
    `commits, beside ${formatCount(settings.young.trades)} trades of the same in a day`,
    '',
    textTable(
      ['', 'young, p50', 'p95', 'large, p50', 'p95', 'large ÷ young'],
      [
        row(`block of ${tradesPerBlock} trades`, 'blocksMs', commits.blockRatio),
        row(`range of ${formatCount(commits.large.tradesPerBatch)} trades`, 'batchesMs', commits.batchRatio),
      ],
    ),
    '',
  ].join('\n')
}
