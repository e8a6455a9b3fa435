import { BalanceEntity } from './balance.ts'
import { BlockEntity } from './block.ts'
import { BlockUndoEntity } from './blockUndo.ts'
import { CandleEntity } from './candle.ts'
import { ChainStateEntity } from './chainState.ts'
import { CreatorFeeEntity } from './creatorFee.ts'
import { DroppedTokenEntity } from './droppedToken.ts'
import { HolderCodeEntity } from './holderCode.ts'
import { IndexTotalsEntity } from './indexTotals.ts'
import { UncollectedFeeEntity } from './lpFee.ts'
import { MetadataEntity } from './metadata.ts'
import { MetadataWaitingEntity } from './metadataWaiting.ts'
import { PoolEntity } from './pool.ts'
import { TokenEntity } from './token.ts'
import { TradeEntity } from './trade.ts'
import { TraderEntity } from './trader.ts'

/**
 * The tables as MikroORM knows them: what its command line and the tests hold the migrations against. Nothing that runs in production goes by
 * rows of entities, so nothing there loads them.
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
  UncollectedFeeEntity,
  HolderCodeEntity,
]
