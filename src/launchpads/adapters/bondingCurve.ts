import { z } from 'zod'
import { toAddress } from '#domain/address.ts'
import type { AdapterKind, AdapterOptions } from '#launchpads/adapter.ts'
import { compileMapping, createMappedAdapter } from '#launchpads/mapping/compile.ts'
import { untoldBy } from '#launchpads/mapping/entries.ts'
import { type EventsMapping, eventsSchema } from '#launchpads/mapping/schema.ts'

/* A bonding curve whose events the operator has mapped. An entry without `events` is the reference launchpad. */

const FEE = { emitter: 'factory', token: 'token', creator: 'creator', currency: 'currency', amount: 'amount' } as const
const AFTER_TRADE = {
  virtualQuote: 'virtualWei',
  virtualToken: 'virtualToken',
  reserveQuote: 'realWei',
  reserveToken: 'realToken',
  raised: 'realWei',
} as const

/**
 * The reference launchpad (src/devchain/contracts/Launchpad.sol, BondingCurve.sol): a curve contract per token, graduation into a Uniswap
 * v3 WETH pool of the 1 % tier, and an escrow in the launchpad itself. A buy's maker is the caller, since it may name any recipient.
 */
export const REFERENCE_EVENTS: EventsMapping = {
  launch: {
    event:
      'event TokenLaunched(address indexed token, address indexed creator, address indexed curve, string name, string symbol, string metadataUri, uint256 totalSupply, uint256 virtualWei, uint256 virtualToken, uint256 targetWei, uint16 feeBps, uint16 creatorShareBps)',
    emitter: 'factory',
    token: 'token',
    creator: 'creator',
    curve: 'curve',
    name: 'name',
    symbol: 'symbol',
    metadataUri: 'metadataUri',
    decimals: 18,
    target: 'targetWei',
    feeBps: 'feeBps',
    creatorShareBps: 'creatorShareBps',
    virtualQuote: 'virtualWei',
    virtualToken: 'virtualToken',
    reserveToken: 'totalSupply',
    reserveQuote: 0,
    raised: 0,
  },
  buy: {
    event:
      'event Bought(address indexed buyer, address indexed recipient, uint256 paidWei, uint256 feeWei, uint256 tokenAmount, uint256 virtualWei, uint256 virtualToken, uint256 realWei, uint256 realToken)',
    emitter: 'curve',
    maker: 'buyer',
    tokenAmount: 'tokenAmount',
    quoteAmount: 'paidWei',
    fee: 'feeWei',
    quoteAmountIs: 'beforeFees',
    ...AFTER_TRADE,
  },
  sell: {
    event:
      'event Sold(address indexed seller, address indexed recipient, uint256 tokenAmount, uint256 receivedWei, uint256 feeWei, uint256 virtualWei, uint256 virtualToken, uint256 realWei, uint256 realToken)',
    emitter: 'curve',
    maker: 'seller',
    tokenAmount: 'tokenAmount',
    quoteAmount: 'receivedWei',
    fee: 'feeWei',
    quoteAmountIs: 'afterFees',
    ...AFTER_TRADE,
  },
  complete: { event: 'event Completed(uint256 raisedWei)', emitter: 'curve', raised: 'raisedWei' },
  graduate: {
    event: 'event Graduated(address indexed token, address indexed pool, uint256 positionId, uint256 quoteAmount, uint256 tokenAmount)',
    emitter: 'factory',
    token: 'token',
    pool: 'pool',
    poolType: 'uniswap-v3',
    poolFeeBps: 100,
  },
  feeAccrued: {
    event: 'event FeeAccrued(address indexed token, address indexed creator, address indexed currency, uint256 amount)',
    ...FEE,
  },
  feeClaimed: {
    event: 'event FeeClaimed(address indexed token, address indexed creator, address indexed currency, address recipient, uint256 amount)',
    ...FEE,
  },
  claimCall: { function: 'function claim(address token)', contract: 'factory', arguments: ['token'] },
}

const EXPECTED_FACTORIES = 'expected a list of addresses, each 0x and 40 hex digits'

const moreFactories = z
  .array(z.string({ error: EXPECTED_FACTORIES }).regex(/^0x[0-9a-fA-F]{40}$/, { error: EXPECTED_FACTORIES }), { error: EXPECTED_FACTORIES })
  .min(1, { error: EXPECTED_FACTORIES })
  .meta({ description: 'Other contracts that emit the events of the factory, such as earlier ones.' })

export const bondingCurve: AdapterKind = {
  version: 3,
  contracts: ['factory'],
  optionalContracts: ['curve', 'escrow', 'poolManager'],
  settings: { events: eventsSchema, moreFactories },
  check: options => {
    const compiled = compileMapping(mappingOf(options))
    return compiled.kind === 'valid' ? [] : compiled.problems.map(({ path, message }) => ({ path: ['events', ...path], message }))
  },
  untold: options => untoldBy(mappingOf(options).events),
  create: options => createMappedAdapter({ ...mappingOf(options), startBlock: options.startBlock }),
}

/** `events` and `moreFactories` have been validated by their schemas. */
function mappingOf({ launchpad, contracts, weth, settings }: Omit<AdapterOptions, 'startBlock'>) {
  const others = (settings?.['moreFactories'] as readonly string[] | undefined) ?? []
  const events = (settings?.['events'] as EventsMapping | undefined) ?? REFERENCE_EVENTS
  return { launchpad, contracts, weth, moreFactories: others.map(toAddress), events }
}
