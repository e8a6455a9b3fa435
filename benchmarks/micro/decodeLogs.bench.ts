import assert from 'node:assert/strict'
import type { MicroBenchmark, MicroTask } from '#benchmarks/micro/microBenchmark.ts'
import { buysBlock, launchpadFixture, TOKENS_PER_BUY, WEI_PER_BUY } from '#benchmarks/support/launchLogs.ts'
import { decodeLogs, type LogsToDecode } from '#launchpads/decodeLogs.ts'

export const decodeLogsBenchmark: MicroBenchmark = {
  name: 'decode logs',
  about: 'decodes the logs of a block with 1, 10 or 100 buys on a curve (three logs each) into token events',
  tasks: () => [decode(1, 100), decode(10, 10), decode(100, 1)],
}

function decode(trades: number, batch: number): MicroTask {
  const { adapters, directory } = launchpadFixture()
  const { header, logs } = buysBlock(trades)
  const input: LogsToDecode = { logs, headers: [header], directory, adapters }
  return {
    name: `${trades} ${trades === 1 ? 'trade' : 'trades'}`,
    batch,
    check: () => {
      const { events, malformed } = decodeLogs(input)
      assert.deepEqual(malformed, [])
      const found = events.filter(event => event.kind === 'trade')
      assert.equal(found.length, trades)
      for (const trade of found) {
        assert.equal(trade.side, 'buy')
        assert.equal(trade.amountToken, TOKENS_PER_BUY)
        assert.equal(trade.amountQuote, WEI_PER_BUY)
      }
      assert.equal(events.filter(event => event.kind === 'transfer').length, trades)
      assert.equal(events.filter(event => event.kind === 'creatorFee').length, trades)
    },
    run: () => decodeLogs(input),
  }
}
