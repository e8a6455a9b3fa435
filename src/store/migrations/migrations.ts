import { Migrator } from '@mikro-orm/migrations'
import { Migration0001Initial } from './Migration0001Initial.ts'
import { Migration0002Reorgs } from './Migration0002Reorgs.ts'
import { Migration0003ClaimId } from './Migration0003ClaimId.ts'
import { Migration0004Metadata } from './Migration0004Metadata.ts'
import { Migration0005Growth } from './Migration0005Growth.ts'
import { Migration0006Uncollected } from './Migration0006Uncollected.ts'
import { Migration0007CreatorLists } from './Migration0007CreatorLists.ts'
import { Migration0008JoinedBlocks } from './Migration0008JoinedBlocks.ts'
import { Migration0009HolderCodes } from './Migration0009HolderCodes.ts'
import { Migration0010Search } from './Migration0010Search.ts'
import { Migration0011CandlePages } from './Migration0011CandlePages.ts'
import { Migration0012UndoImages } from './Migration0012UndoImages.ts'
import { Migration0013GraduatedPrice } from './Migration0013GraduatedPrice.ts'
import { Migration0015Commits } from './Migration0015Commits.ts'
import { Migration0016Market } from './Migration0016Market.ts'
import { Migration0017OnePrice } from './Migration0017OnePrice.ts'
import { Migration0018Channels } from './Migration0018Channels.ts'
import { Migration0019Lists } from './Migration0019Lists.ts'
import { Migration0020Wallets } from './Migration0020Wallets.ts'
import { Migration0021MarketEvents } from './Migration0021MarketEvents.ts'
import { Migration0022QuoteWorth } from './Migration0022QuoteWorth.ts'
import { Migration0023Balances } from './Migration0023Balances.ts'
import { Migration0024TokenVolume } from './Migration0024TokenVolume.ts'
import { Migration0025ShownDocuments } from './Migration0025ShownDocuments.ts'
import { Migration0040AnnouncedContracts } from './Migration0040AnnouncedContracts.ts'
import { Migration0041Currencies } from './Migration0041Currencies.ts'
import { Migration0042LastTrades } from './Migration0042LastTrades.ts'
import { Migration0043LogIndexes } from './Migration0043LogIndexes.ts'
import { Migration0050CreatorUpdates } from './Migration0050CreatorUpdates.ts'
import { Migration0051Vesting } from './Migration0051Vesting.ts'
import { Migration0052CurrencyNames } from './Migration0052CurrencyNames.ts'
import { Migration0053Positions } from './Migration0053Positions.ts'

/** Every migration in the order in which they run. Published ones are never edited: a change is a new one at the end. */
export const MIGRATIONS = [
  Migration0001Initial,
  Migration0002Reorgs,
  Migration0003ClaimId,
  Migration0004Metadata,
  Migration0005Growth,
  Migration0006Uncollected,
  Migration0007CreatorLists,
  Migration0008JoinedBlocks,
  Migration0009HolderCodes,
  Migration0010Search,
  Migration0011CandlePages,
  Migration0012UndoImages,
  Migration0013GraduatedPrice,
  Migration0015Commits,
  Migration0016Market,
  Migration0040AnnouncedContracts,
  Migration0017OnePrice,
  Migration0041Currencies,
  Migration0018Channels,
  Migration0019Lists,
  Migration0020Wallets,
  Migration0021MarketEvents,
  Migration0022QuoteWorth,
  Migration0023Balances,
  Migration0024TokenVolume,
  Migration0025ShownDocuments,
  Migration0042LastTrades,
  Migration0043LogIndexes,
  Migration0050CreatorUpdates,
  Migration0051Vesting,
  Migration0052CurrencyNames,
  Migration0053Positions,
]

export const MIGRATION_OPTIONS = {
  extensions: [Migrator],
  migrations: {
    migrationsList: MIGRATIONS,
    pathTs: 'src/store/migrations',
    path: 'src/store/migrations',
    snapshot: false,
    silent: true,
  },
}
