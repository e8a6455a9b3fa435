import type { Address } from '#domain/address.ts'
import type { ClaimableAmount, WalletClaim } from '#resources/claimable.ts'
import type { Trader } from '#resources/traders.ts'
import type { Holding, ValuedBalance, Wallet } from '#resources/wallet.ts'
import { addressOf } from './snapshots.ts'

/* What the API answers of a wallet. A test names the fields that matter to it. */

const BALANCE: ValuedBalance = {
  balance: '5000000000000000000000',
  percent: 0.0005,
  valueWeth: '0.0000617',
  valueUsd: null,
  costWeth: '0.00005',
  costUsd: '0.15',
  averageCostWeth: '0.00000001',
  averageCostUsd: '0.00003',
  unrealizedWeth: '0.0000117',
  unrealizedUsd: null,
  realizedWeth: '0.00004',
  realizedUsd: '0.12',
}

export function aWallet(address: Address, fields: Partial<Wallet> = {}): Wallet {
  return {
    address,
    tokensHeld: 3,
    valueWeth: '0.4',
    valueUsd: null,
    trades: 41,
    tokensTraded: 7,
    volumeWeth: '3.2',
    realizedWeth: '0.21',
    realizedUsd: '630.4',
    tokensWithoutWethProfit: 1,
    tokensWithoutUsdProfit: 1,
    tokensCreated: 0,
    firstSeenAt: '2026-01-01T10:00:00.000Z',
    lastSeenAt: '2026-01-02T03:04:08.000Z',
    asOfBlock: '456',
    ...fields,
  }
}

/** Of a token that is named in `fields`, or has no name. */
export function aHolding(
  { address, ...named }: Partial<Holding['token']> & Pick<Holding['token'], 'address'>,
  fields: Partial<Holding> = {},
): Holding {
  const shown = { symbol: null, name: null, decimals: 18, imageUrl: null, launchpad: 'wow', priceWeth: '0.000001', priceUsd: null }
  return { token: { address, ...shown, ...named }, ...BALANCE, lastChangedBlock: '456', ...fields }
}

export function aTrader(address: Address, fields: Partial<Trader> = {}): Trader {
  return {
    address,
    type: 'wallet',
    buys: 2,
    sells: 1,
    boughtToken: '15000000000000000000000',
    soldToken: '10000000000000000000000',
    boughtWeth: '0.00015',
    boughtUsd: '0.45',
    soldWeth: '0.00014',
    soldUsd: '0.42',
    volumeWeth: '0.00029',
    volumeUsd: '0.87',
    ...BALANCE,
    firstTradeAt: '2026-01-02T03:00:00.000Z',
    lastTradeAt: '2026-01-02T03:04:08.000Z',
    classes: ['sniper'],
    ...fields,
  }
}

/** 0.31 WETH of a token's creator, of 0.41 that have accrued. */
export function aClaimable(fields: Partial<ClaimableAmount> = {}): ClaimableAmount {
  return {
    currency: addressOf(0xee),
    symbol: 'WETH',
    decimals: 18,
    accrued: '410000000000000000',
    claimed: '100000000000000000',
    amount: '310000000000000000',
    amountUsd: null,
    scope: 'token',
    claim: { to: addressOf(0xfee), data: '0x1e83409a00' },
    ...fields,
  }
}

export function aClaim(token: Address, fields: Partial<ClaimableAmount> = {}): WalletClaim {
  return { ...aClaimable(fields), launchpad: 'wow', token, asOfBlock: '456' }
}
