import { AnnouncedContractEntity } from './announcedContract.ts'
import { BalanceEntity, HolderCodeEntity } from './balance.ts'
import { BlockEntity } from './block.ts'
import { CandleEntity } from './candle.ts'
import { ChainStateEntity, ReorgEntity } from './chainState.ts'
import type { Life } from './columns.ts'
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
import { BlockUndoEntity, DroppedTokenEntity } from './undo.ts'
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
  BlockUndoEntity,
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

/** Their names and lives. */
export const BLOCK_TABLES = OF_BLOCKS.map(({ meta, life }): Life & { readonly name: string } => ({ name: meta.tableName, ...life }))

/**
 * Every table, for MikroORM's command line and for the test that compares them with the migrations. The service's own statements use the
 * same entities through `tableOf`, without MikroORM's discovery.
 */
export const ENTITIES = [...LASTING, ...OF_BLOCKS]
