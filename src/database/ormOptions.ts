import { Migrator } from '@mikro-orm/migrations'
import { defineConfig } from '@mikro-orm/postgresql'
import { TokenwireError } from '#errors'
import { BalanceEntity } from './entities/balanceEntity.ts'
import { BlockEntity } from './entities/blockEntity.ts'
import { BlockUndoEntity } from './entities/blockUndoEntity.ts'
import { CandleEntity } from './entities/candleEntity.ts'
import { ChainStateEntity } from './entities/chainStateEntity.ts'
import { CreatorFeeEntity } from './entities/creatorFeeEntity.ts'
import { DroppedTokenEntity } from './entities/droppedTokenEntity.ts'
import { HolderCodeEntity } from './entities/holderCodeEntity.ts'
import { IndexTotalsEntity } from './entities/indexTotalsEntity.ts'
import { MetadataEntity } from './entities/metadataEntity.ts'
import { MetadataWaitingEntity } from './entities/metadataWaitingEntity.ts'
import { PoolEntity } from './entities/poolEntity.ts'
import { TokenEntity } from './entities/tokenEntity.ts'
import { TradeEntity } from './entities/tradeEntity.ts'
import { TraderEntity } from './entities/traderEntity.ts'
import { UncollectedFeeEntity } from './entities/uncollectedFeeEntity.ts'
import { MIGRATIONS } from './migrations/migrations.ts'

const entities = [
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

/**
 * What the service, the migrations and MikroORM's command line share: entities, migrations and the address of the database.
 *
 * @throws `TokenwireError` with code `config_invalid` when the text is no PostgreSQL URL; the message does not repeat it
 */
export function ormOptions(databaseUrl: string) {
  const connectionString = toConnectionString(databaseUrl)
  return defineConfig({
    clientUrl: databaseUrl,
    // The ORM reads no parameters of the URL (sslmode, a socket's folder): the driver does.
    driverOptions: { connectionString },
    entities,
    extensions: [Migrator],
    migrations: {
      migrationsList: MIGRATIONS,
      pathTs: 'src/database/migrations',
      path: 'src/database/migrations',
      snapshot: false,
      silent: true,
    },
  })
}

/** Checks the address here, because Node's own error would quote it with its password, and lets `sslmode` mean what it means to psql. */
function toConnectionString(databaseUrl: string): string {
  const url = URL.canParse(databaseUrl) ? new URL(databaseUrl) : null
  if (url === null || (url.protocol !== 'postgres:' && url.protocol !== 'postgresql:') || url.pathname.length < 2) {
    throw new TokenwireError('config_invalid', 'DATABASE_URL must look like postgres://user:password@host:5432/database')
  }
  if (url.searchParams.has('sslmode') && !url.searchParams.has('uselibpqcompat')) url.searchParams.set('uselibpqcompat', 'true')
  return url.href
}
