import assert from 'node:assert/strict'
import { type ProjectInput, project } from '#index/project/project.ts'
import { valuationOf } from '#index/project/values.ts'
import { decodeLogs, type LogsToDecode } from '#launchpads/decodeLogs.ts'
import { type MemoryRows, memoryRows } from '#test/support/memoryRows.ts'
import { WETH } from '#test/support/simulatedLaunchpad.ts'
import type { MicroBenchmark, MicroTask } from './microBenchmark.ts'
import { tradedBlock } from './tradedBlock.ts'

export const projectBenchmark: MicroBenchmark = {
  name: 'project a block',
  about: 'projects the events of a block with 1 or 100 trades of one token into changed rows',
  tasks: () => [projectTrades(1, 100), projectTrades(100, 1)],
}

function projectTrades(trades: number, batch: number): MicroTask {
  const { launch, traded } = tradedBlock(trades)
  const rows = memoryRows()
  const launched = project(inputOf(launch, rows))
  rows.write(launched)
  const input = inputOf(traded, rows)
  return {
    name: `${trades} ${trades === 1 ? 'trade' : 'trades'}`,
    batch,
    check: () => {
      const changes = project(input)
      assert.equal(changes.trades.length, trades)
      const [token] = changes.tokens
      assert.ok(token !== undefined && changes.tokens.length === 1)
      // The launch had a trade, too.
      assert.equal(token.tradeCount, trades + 1)
      const balances = new Map([...launched.balances, ...changes.balances].map(({ holder, balance }) => [holder, balance]))
      assert.equal(
        [...balances.values()].reduce((sum, balance) => sum + balance, 0n),
        token.totalSupply,
      )
    },
    run: () => project(input),
  }
}

function inputOf(logs: LogsToDecode, rows: MemoryRows): ProjectInput {
  const now = logs.headers[0]?.timestamp ?? 0
  return {
    events: decodeLogs(logs).events,
    rows: rows.load(now),
    now,
    ...valuationOf({ weth: WETH }, []),
    providedEthUsd: null,
    directory: logs.directory,
  }
}
