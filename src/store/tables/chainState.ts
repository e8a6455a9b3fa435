import { defineEntity, p } from '@mikro-orm/core'
import { address, hex, safeInteger } from './columns.ts'

/** One row: which chain and contracts the database was built from, which process writes it, and how far. */
export const ChainStateEntity = defineEntity({
  name: 'ChainState',
  tableName: 'chain_state',
  properties: {
    id: p.smallint().primary().autoincrement(false).default(1).check('id = 1'),
    chainId: safeInteger(),
    genesisHash: hex(),
    weth: address(),
    launchpads: p.json(),
    writer: p.text().nullable(),
    cursorNumber: safeInteger().nullable(),
    cursorHash: hex().nullable(),
    cursorTimestamp: safeInteger().nullable(),
    committedAtMs: safeInteger().nullable(),
    undoFrom: safeInteger().nullable(),
  },
})
