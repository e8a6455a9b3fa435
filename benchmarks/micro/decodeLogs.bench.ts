import assert from 'node:assert/strict'
import { decodeLogs } from '#launchpads/decodeLogs.ts'
import type { MicroBenchmark, MicroTask } from './microBenchmark.ts'
import { tradedBlock } from './tradedBlock.ts'

export const decodeLogsBenchmark: MicroBenchmark = {
  name: 'decode logs',
  about: 'decodes the logs of a block with 1 or 100 trades on a curve (three logs each) into token events',
  tasks: () => [decode(1, 100), decode(100, 1)],
}

function decode(trades: number, batch: number): MicroTask {
  const { traded } = tradedBlock(trades)
  return {
    name: `${trades} ${trades === 1 ? 'trade' : 'trades'}`,
    batch,
    check: () => {
      const { events, malformed } = decodeLogs(traded)
      assert.deepEqual(malformed, [])
      for (const kind of ['trade', 'transfer', 'creatorFee']) {
        assert.equal(events.filter(event => event.kind === kind).length, trades, kind)
      }
    },
    run: () => decodeLogs(traded),
  }
}
