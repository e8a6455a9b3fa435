import { defineEntity, p } from '@mikro-orm/core'
import { column } from './columns.ts'

/** One row: the chain and the launchpads that the database was built from, the process that may write it, and the cursor. */
export const ChainStateEntity = defineEntity({
  name: 'ChainState',
  tableName: 'chain_state',
  properties: {
    id: column.smallint().primary().autoincrement(false).default(1).check('id = 1'),
    chainId: column.bigint(),
    genesisHash: column.hex(),
    weth: column.address(),
    launchpads: p.json(),
    writer: column.text().strictNullable(),
    cursorNumber: column.blockNumber().strictNullable(),
    cursorHash: column.hex().strictNullable(),
    cursorTimestamp: column.seconds().strictNullable(),
    committedAtMs: column.milliseconds().strictNullable(),
    undoFrom: column.blockNumber().strictNullable(),
    commits: column.bigint().default(0),
    /** Candles of a minute before this time are dropped; `null`: no candles are. */
    minutesFrom: column.seconds().strictNullable(),
    /** Candles of a minute from this time on are not yet part of longer ones (`wholeCandles.ts`); `null`: all are. */
    unfoldedFrom: column.seconds().strictNullable(),
    /** Rows of `value_change` of earlier blocks are dropped, or were never kept; `null`: no rows are. */
    valueChangesFrom: column.blockNumber().strictNullable(),
    /** The pegs, as in `launchpads.json`; `null`: an earlier version has built the index, and did not store them. */
    pegUsd: p.json().strictNullable(),
    /** The names of launchpads that an operator wants rebuilt. */
    rebuild: p.json().default('[]'),
  },
})

/** A reorg of indexed blocks: what readers have read of `fromBlock` and later blocks before its commit is void. */
export const ReorgEntity = defineEntity({
  name: 'Reorg',
  tableName: 'reorg',
  properties: { number: column.bigint().primary().autoincrement(false), fromBlock: column.blockNumber() },
})
