import { BalanceEntity } from './balance.ts'
import { BlockEntity } from './block.ts'
import { BlockUndoEntity } from './blockUndo.ts'
import { CandleEntity } from './candle.ts'
import { ChainStateEntity } from './chainState.ts'
import { CreatorFeeEntity } from './creatorFee.ts'
import { DroppedTokenEntity } from './droppedToken.ts'
import { HolderCodeEntity } from './holderCode.ts'
import { IndexTotalsEntity } from './indexTotals.ts'
import { LpFeeEntity } from './lpFee.ts'
import { MetadataEntity } from './metadata.ts'
import { MetadataWaitingEntity } from './metadataWaiting.ts'
import { PoolEntity } from './pool.ts'
import { TokenEntity } from './token.ts'
import { TradeEntity } from './trade.ts'
import { TraderEntity } from './trader.ts'

/**
 * Every table, for MikroORM's command line and for the test that holds the migrations against them. The service's statements follow from
 * the same entities (`tableOf`) without MikroORM's discovery, which would cost a start 30 ms per ORM.
 */
export const ENTITIES = [
  ChainStateEntity,
  BlockEntity,
  TokenEntity,
  PoolEntity,
  TradeEntity,
  BalanceEntity,
  CandleEntity,
  CreatorFeeEntity,
  BlockUndoEntity,
  DroppedTokenEntity,
  MetadataEntity,
  MetadataWaitingEntity,
  TraderEntity,
  IndexTotalsEntity,
  LpFeeEntity,
  HolderCodeEntity,
]
