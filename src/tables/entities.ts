import { defineEntity, p } from '@mikro-orm/core'
import { AnnouncedContractEntity } from './announcedContract.ts'
import { BalanceEntity, HolderCodeEntity } from './balance.ts'
import { BlockEntity } from './block.ts'
import { CandleEntity } from './candle.ts'
import { ChainStateEntity, ReorgEntity } from './chainState.ts'
import { column, type Life, ofBlocks } from './columns.ts'
import { CreatorFeeEntity } from './creatorFee.ts'
import { CurrencyEntity } from './currency.ts'
import { EarlyClassEntity } from './earlyClass.ts'
import { JoinExitEntity } from './joinExit.ts'
import { LeaderEntity, LeaderWindowEntity } from './leader.ts'
import { LpFeeEntity } from './lpFee.ts'
import { MetadataEntity, MetadataWaitingEntity } from './metadata.ts'
import { MilestoneEntity } from './milestone.ts'
import { PoolCreationEntity, PoolEntity } from './pool.ts'
import { PoolTickEntity } from './poolTick.ts'
import { TokenEntity, TokenNameEntity } from './token.ts'
import { IndexTotalsEntity, LaunchpadTotalsEntity, TraderEntity } from './totals.ts'
import { TradeEntity } from './trade.ts'
import { DroppedTokenEntity } from './undo.ts'
import { ValueChangeEntity } from './valueChange.ts'
import { WebhookPositionEntity } from './webhookPosition.ts'

/** Tables that do not follow from the chain's blocks alone. A rewind to the start keeps their rows. */
const LASTING = [ChainStateEntity, DroppedTokenEntity, MetadataEntity, HolderCodeEntity, CurrencyEntity, ReorgEntity, WebhookPositionEntity]

/** Tables that indexing the chain again would fill with the same rows. A rewind to the start empties them. */
const OF_BLOCKS = [
  BlockEntity,
  TokenEntity,
  TokenNameEntity,
  PoolEntity,
  PoolTickEntity,
  TradeEntity,
  JoinExitEntity,
  PoolCreationEntity,
  BalanceEntity,
  EarlyClassEntity,
  CandleEntity,
  CreatorFeeEntity,
  MetadataWaitingEntity,
  TraderEntity,
  IndexTotalsEntity,
  LaunchpadTotalsEntity,
  LpFeeEntity,
  AnnouncedContractEntity,
  MilestoneEntity,
  LeaderEntity,
  LeaderWindowEntity,
  ValueChangeEntity,
]

const nameAndLife = ({ meta, life }: { readonly meta: { readonly tableName: string }; readonly life: Life }) => ({
  name: meta.tableName,
  ...life,
})

/** The tables of which rows have images. */
export const IMAGED_TABLES = OF_BLOCKS.map(nameAndLife).flatMap(({ name, undone }) => (undone === 'image' ? [name] : []))

/**
 * A row as it was before one of the newest blocks changed it, in the column of its table, whose type is the table's row type. Of a row that
 * the block added, only its key.
 */
const BlockUndoEntity = ofBlocks(
  { undone: 'block_number' },
  defineEntity({
    name: 'BlockUndo',
    tableName: 'block_undo',
    properties: {
      blockNumber: column.blockNumber().primary(),
      position: column.integer().primary(),
      tableName: column.text(),
      addedKey: p.json().columnType('json').nullable(),
      ...Object.fromEntries(IMAGED_TABLES.map(table => [table, p.string().columnType(table).nullable()])),
    },
  }),
)

/** The names and lives of the tables that blocks fill. */
export const BLOCK_TABLES = [...OF_BLOCKS, BlockUndoEntity].map(nameAndLife)

/**
 * Every table, for MikroORM's command line and for the test that compares them with the migrations. The service's own statements use the
 * same entities through `tableOf`, without MikroORM's discovery.
 */
export const ENTITIES = [...LASTING, ...OF_BLOCKS, BlockUndoEntity]
