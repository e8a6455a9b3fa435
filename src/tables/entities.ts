import { AnnouncedContractEntity } from './announcedContract.ts'
import { BalanceEntity, HolderCodeEntity } from './balance.ts'
import { BlockEntity } from './block.ts'
import { CandleEntity } from './candle.ts'
import { ChainStateEntity } from './chainState.ts'
import { CreatorFeeEntity } from './creatorFee.ts'
import { CurrencyEntity } from './currency.ts'
import { EarlyClassEntity } from './earlyClass.ts'
import { JoinExitEntity } from './joinExit.ts'
import { LatePairEntity } from './latePair.ts'
import { LeaderEntity, LeaderWindowEntity } from './leader.ts'
import { LpFeeEntity } from './lpFee.ts'
import { MetadataEntity, MetadataWaitingEntity } from './metadata.ts'
import { MilestoneEntity } from './milestone.ts'
import { PoolEntity } from './pool.ts'
import { PoolCreationEntity } from './poolCreation.ts'
import { PoolTickEntity } from './poolTick.ts'
import { ReorgEntity } from './reorg.ts'
import { TokenEntity } from './token.ts'
import { TokenNameEntity } from './tokenName.ts'
import { IndexTotalsEntity, LaunchpadTotalsEntity, TraderEntity } from './totals.ts'
import { TradeEntity } from './trade.ts'
import { BlockUndoEntity, DroppedTokenEntity } from './undo.ts'
import { ValueChangeEntity } from './valueChange.ts'
import { WebhookPositionEntity } from './webhookPosition.ts'

/** Tables that do not follow from the chain's blocks alone. A rewind to the start keeps their rows. */
const LASTING = [
  ChainStateEntity,
  DroppedTokenEntity,
  MetadataEntity,
  HolderCodeEntity,
  CurrencyEntity,
  ReorgEntity,
  LatePairEntity,
  WebhookPositionEntity,
]

/** Tables that indexing the chain again would fill with the same rows. A rewind to the start empties them. */
export const OF_BLOCKS = [
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

/**
 * Every table, for MikroORM's command line and for the test that compares them with the migrations. The service's own statements use the
 * same entities through `tableOf`, without MikroORM's discovery.
 */
export const ENTITIES = [...LASTING, ...OF_BLOCKS]
