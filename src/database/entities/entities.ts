import { BalanceEntity } from './balanceEntity.ts'
import { BlockEntity } from './blockEntity.ts'
import { BlockUndoEntity } from './blockUndoEntity.ts'
import { CandleEntity } from './candleEntity.ts'
import { ChainStateEntity } from './chainStateEntity.ts'
import { CreatorFeeEntity } from './creatorFeeEntity.ts'
import { DroppedTokenEntity } from './droppedTokenEntity.ts'
import { HolderCodeEntity } from './holderCodeEntity.ts'
import { IndexTotalsEntity } from './indexTotalsEntity.ts'
import { MetadataEntity } from './metadataEntity.ts'
import { MetadataWaitingEntity } from './metadataWaitingEntity.ts'
import { PoolEntity } from './poolEntity.ts'
import { TokenEntity } from './tokenEntity.ts'
import { TradeEntity } from './tradeEntity.ts'
import { TraderEntity } from './traderEntity.ts'
import { UncollectedFeeEntity } from './uncollectedFeeEntity.ts'

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
