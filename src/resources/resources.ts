import { actor, actors } from './actors.ts'
import { candleSeries, candles } from './candles.ts'
import { indexTotals } from './chainStats.ts'
import { claimable } from './claimable.ts'
import { claims } from './claims.ts'
import { earlyWallets } from './earlyWallets.ts'
import { ethUsdPrice } from './ethUsd.ts'
import { serviceHealth } from './health.ts'
import { distribution } from './holderDistribution.ts'
import { holders } from './holders.ts'
import { holdings } from './holdings.ts'
import { launchpads } from './launchpads.ts'
import { leaders } from './leaders.ts'
import { processes } from './processes.ts'
import { search } from './search.ts'
import { sparklines } from './sparklines.ts'
import { token } from './token.ts'
import { tokens } from './tokens.ts'
import { traders } from './traders.ts'
import { marketTrades, trades, walletTrades } from './trades.ts'
import { wallet } from './wallet.ts'

/* The resources by the names of the client's methods. */

/** Lists that are read from the database. */
export const LISTS = { tokens, candleSeries, sparklines, marketTrades, leaders, walletTrades, holdings, claims, search } as const

/** Lists of one token, whose address is in the path. */
export const TOKEN_LISTS = { trades, traders, holders, candles } as const

/** Single answers that are read from the database. */
export const SINGLE = { token, distribution, earlyWallets, claimable, wallet } as const

/** Resources that take more than a read of the database. */
export const COMPOSED = {
  launchpads,
  ethUsd: ethUsdPrice,
  chainStats: indexTotals,
  health: serviceHealth,
  processes,
  actors,
  actor,
} as const
