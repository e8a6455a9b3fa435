import { defineEntity, p } from '@mikro-orm/core'
import { column } from './columns.ts'

/** One row: the chain and the contracts that the database was built from, the process that writes it, and the cursor. */
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
    /** Candles of a minute before this time are dropped; `null`: none are. */
    minutesFrom: column.seconds().strictNullable(),
    /** Candles of a minute from this time on are not part of longer ones yet (`wholeCandles.ts`); `null`: all are. */
    unfoldedFrom: column.seconds().strictNullable(),
    /** Rows of `value_change` of earlier blocks are dropped, or were never kept; `null`: none are. */
    valueChangesFrom: column.blockNumber().strictNullable(),
    /** As in `launchpads.json`; `null`: an earlier version built the index, and did not keep them. */
    pegUsd: p.json().strictNullable(),
    /** Names of launchpads that are to be built anew. */
    rebuild: p.json().default('[]'),
  },
})
