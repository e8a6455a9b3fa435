import { medianInterval } from '#benchmarks/support/quantile.ts'
import { formatCount, formatMs, textTable } from '#benchmarks/support/textTable.ts'
import { SEND_LOOP } from './arm.ts'
import type { BlockResult, FanOutResult, HotResult, Ratios } from './fanOut.ts'

/** The results for a terminal. */
export function reportFanOut({ settings, hot, block }: FanOutResult): string {
  const updateBytes = hot[0]?.updateBytes ?? 0
  return [
    `fan-out, one hot token: ${settings.hot.connections} connections, ${settings.hot.updatesPerSecond} updates/s of ${formatCount(updateBytes)} bytes, commit to receipt`,
    '',
    textTable(['', 'p50', 'p99', 'p99.9', `p50 ÷ ${SEND_LOOP.name}`, `p99 ÷ ${SEND_LOOP.name}`, 'server CPU/delivery'], hot.map(hotRow)),
    '',
    `fan-out, a block: ${settings.block.connections} connections with ${settings.block.tokens} tokens each, a block that touches them all`,
    '',
    textTable(
      [
        '',
        'to last client',
        'server turn',
        `last ÷ ${SEND_LOOP.name}`,
        `turn ÷ ${SEND_LOOP.name}`,
        'server CPU/delivery',
        'load CPU/block',
      ],
      block.map(blockRow),
    ),
    '',
    'Ratios are medians over rounds with their 95 % interval (under six rounds: the least and the greatest). An interval that overlaps that of',
    '“again” shows no difference. CPU of the load per block near the time to the last client means that the load was the limit.',
    '',
  ].join('\n')
}

function hotRow(result: HotResult): readonly string[] {
  return [
    result.arm,
    formatMs(result.p50Ms),
    formatMs(result.p99Ms),
    formatMs(result.p999Ms),
    formatRatios(result.p50Ratio),
    formatRatios(result.p99Ratio),
    `${result.cpuPerDeliveryUs.toFixed(1)} µs`,
  ]
}

function blockRow(result: BlockResult): readonly string[] {
  return [
    result.arm,
    formatMs(result.lastClientMs),
    formatMs(result.serverTurnMs),
    formatRatios(result.lastClientRatio),
    formatRatios(result.serverTurnRatio),
    `${result.cpuPerDeliveryUs.toFixed(1)} µs`,
    formatMs((result.loadCpuPerDeliveryUs * result.deliveriesPerBlock) / 1_000),
  ]
}

function formatRatios({ median, perRound }: Ratios): string {
  const { low, high } = medianInterval(perRound)
  return `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`
}
