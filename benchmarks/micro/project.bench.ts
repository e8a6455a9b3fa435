import assert from 'node:assert/strict'
import type { MicroBenchmark, MicroTask } from '#benchmarks/micro/microBenchmark.ts'
import {
  type BlockOfLogs,
  buysBlock,
  CREATOR_SHARE_PER_BUY,
  launchBlock,
  launchpadFixture,
  SUPPLY,
  TOKEN,
  TOKENS_PER_BUY,
  WEI_PER_BUY,
  WETH,
} from '#benchmarks/support/launchLogs.ts'
import { type ProjectInput, project } from '#index/project/project.ts'
import { decodeLogs } from '#launchpads/decodeLogs.ts'
import { memoryRows } from '#test/support/memoryRows.ts'

export const projectBenchmark: MicroBenchmark = {
  name: 'project a block',
  about: 'projects the events of a block with 1, 10 or 100 buys of one token into changed rows',
  tasks: () => [projectTrades(1, 100), projectTrades(10, 10), projectTrades(100, 1)],
}

function projectTrades(trades: number, batch: number): MicroTask {
  const rows = memoryRows()
  const launch = launchBlock()
  rows.write(project(inputOf(launch, rows.load(launch.header.timestamp))))
  const block = buysBlock(trades)
  const input = inputOf(block, rows.load(block.header.timestamp))
  return {
    name: `${trades} ${trades === 1 ? 'trade' : 'trades'}`,
    batch,
    check: () => {
      const changes = project(input)
      const count = BigInt(trades)
      assert.equal(changes.trades.length, trades)
      const [token] = changes.tokens
      assert.ok(token !== undefined && changes.tokens.length === 1)
      assert.equal(token.address, TOKEN)
      assert.equal(token.tradeCount, trades)
      assert.equal(token.totalSupply, SUPPLY)
      assert.equal(token.raised, WEI_PER_BUY * count)
      assert.equal(token.feesAccrued, CREATOR_SHARE_PER_BUY * count)
      assert.equal(token.volumeH24, WEI_PER_BUY * count)
      const balances = new Map(changes.balances.map(({ holder, balance }) => [holder, balance]))
      assert.equal(balances.size, trades + 1)
      assert.ok([...balances.values()].includes(SUPPLY - TOKENS_PER_BUY * count))
      assert.equal(
        [...balances.values()].reduce((sum, balance) => sum + balance, 0n),
        SUPPLY,
      )
    },
    run: () => project(input),
  }
}

function inputOf({ header, logs }: BlockOfLogs, rows: ProjectInput['rows']): ProjectInput {
  const { adapters, directory } = launchpadFixture()
  const { events } = decodeLogs({ logs, headers: [header], directory, adapters })
  return {
    events,
    rows,
    now: header.timestamp,
    weth: WETH,
    quotePools: new Map(),
    etherWrappers: new Set(),
    pegs: new Map(),
    ethUsd: null,
    directory,
  }
}
