import { decodeEventLog, encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { AdapterKind, AdapterOptions, ClaimTarget, Decoded, Discovery, LaunchpadAdapter, TransactionLogs } from './adapter.ts'
import { positionOf } from './eventPosition.ts'
import { cleanText, TEXT_LIMITS } from './text.ts'
import type { PoolFacts, TokenEvent, TokenEventOf } from './tokenEvent.ts'
import { withImage } from './withImage.ts'
import { addressTopic, MalformedLogError, wordsOf } from './words.ts'

/*
 * Clanker v4: a token and its pool inside the Uniswap v4 PoolManager, made in one transaction, whose last event says so. What recipients earn is
 * put into one escrow, the fee locker, by owner and currency.
 */

const CREATED = parseAbi([
  'event TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin, string tokenImage, string tokenName, string tokenSymbol, string tokenMetadata, string tokenContext, int24 startingTick, address poolHook, bytes32 poolId, address pairedToken, address locker, address mevModule, uint256 extensionsSupply, address[] extensions)',
])
const CLAIM = parseAbi(['function claim(address feeOwner, address token)'])

const TOPICS = {
  created: toEventSelector(CREATED[0]),
  stored: toEventSelector('StoreTokens(address,address,address,uint256,uint256)'),
  claimed: toEventSelector('ClaimTokens(address,address,uint256)'),
  claimedPermissioned: toEventSelector('ClaimTokensPermissioned(address,address,address,uint256)'),
} as const

const DECIMALS = 18

export const clankerV4: AdapterKind = {
  contracts: ['factory', 'feeLocker', 'poolManager'],
  presets: {
    factory: toAddress('0xE85A59c628F7d27878ACeB4bf3b35733630083a9'),
    feeLocker: toAddress('0xF3622742b1E446D92e45E22923Ef11C2fcD55D68'),
    poolManager: toAddress('0x498581fF718922c3f8e6A244956aF099B2652b2b'),
  },
  create: createClankerV4,
}

interface Context {
  readonly launchpad: string
  readonly factory: Address
  readonly feeLocker: Address
}

function createClankerV4({ launchpad, startBlock, contracts }: AdapterOptions): LaunchpadAdapter {
  const { factory, feeLocker, poolManager } = contracts
  if (factory === undefined || feeLocker === undefined || poolManager === undefined) {
    throw new TypeError(`launchpad ${launchpad} lacks a factory, feeLocker or poolManager`)
  }
  const context = { launchpad, factory, feeLocker }
  return {
    launchpad,
    contracts: [factory, feeLocker, poolManager],
    poolManager,
    startBlock,
    announcing: new Set([TOPICS.created]),
    understood: new Set(Object.values(TOPICS)),
    discover: logs => logs.flatMap(log => discoverIn(log, context)),
    decode: transaction => decode(transaction, context),
    claimCall: target => claimCall(target, feeLocker),
  }
}

/** Pays out all of one currency. With nothing to pay it reverts. */
function claimCall({ creator, currency, amount }: ClaimTarget, feeLocker: Address) {
  return amount === 0n ? null : { to: feeLocker, data: encodeFunctionData({ abi: CLAIM, args: [creator, currency] }) }
}

function discoverIn(log: ChainLog, context: Context): readonly Discovery[] {
  if (!isCreation(log, context)) return []
  try {
    const token = addressTopic(log.topics, 1)
    const pool = poolFacts(token, decodeCreation(log))
    const { launchpad } = context
    return [
      { address: token, watched: { role: 'token', launchpad, token } },
      { address: pool.address, watched: { role: 'pool', launchpad, token, pool, tokenDecimals: DECIMALS } },
    ]
  } catch (error) {
    // Decoding the same log counts it as malformed.
    if (!(error instanceof MalformedLogError)) throw error
    return []
  }
}

function decode(transaction: TransactionLogs, context: Context): Decoded {
  const events: TokenEvent[] = []
  const malformed: ChainLog[] = []
  const isOurs = transaction.logs.some(
    ({ watched }) => watched.launchpad === context.launchpad && (watched.role === 'token' || watched.role === 'pool'),
  )
  for (const { log } of transaction.logs) {
    try {
      if (isCreation(log, context)) events.push(...launch(log, transaction, context))
      else if (log.address === context.feeLocker) events.push(...decodeEscrow(log, transaction, context, !isOurs))
    } catch (error) {
      if (!(error instanceof MalformedLogError)) throw error
      malformed.push(log)
    }
  }
  return { events, malformed }
}

function isCreation(log: ChainLog, { factory }: Context): boolean {
  return log.address === factory && log.topics[0] === TOPICS.created
}

function launch(log: ChainLog, transaction: TransactionLogs, { launchpad }: Context): readonly TokenEvent[] {
  const token = addressTopic(log.topics, 1)
  const creation = decodeCreation(log)
  const at = { ...positionOf(log, transaction), token }
  const pool = poolFacts(token, creation)
  const creator = addressTopic(log.topics, 2)
  return [
    {
      ...at,
      kind: 'launch',
      launchpad,
      creator,
      symbol: cleanText(creation.tokenSymbol, TEXT_LIMITS.symbol),
      name: cleanText(creation.tokenName, TEXT_LIMITS.name),
      decimals: DECIMALS,
      metadataUri: cleanText(withImage(creation.tokenMetadata, creation.tokenImage, TEXT_LIMITS.metadataUri), TEXT_LIMITS.metadataUri),
      // The shares are the token's own locker's, and change with its hook.
      creatorFeeBps: null,
      feesTold: { accrued: false, claimed: false },
      graduation: { status: 'none', targetWei: null },
    },
    { ...at, kind: 'poolCreated', pool, main: true },
    // A creator has an account from here on, whoever pays in.
    ...[pool.quoteToken, token].map(currency => escrowed(log, transaction, { launchpad, creator, currency })),
  ]
}

/**
 * The escrow's movements. It serves everybody whom any token of the launchpad pays, indexed or not: what is paid in a transaction in which an
 * indexed token moved or traded opens an account. Whom a permitted claim pays does not matter: it is the owner's balance that it empties.
 */
function decodeEscrow(log: ChainLog, transaction: TransactionLogs, { launchpad }: Context, onlyKnown: boolean): readonly TokenEvent[] {
  const topic = log.topics[0]
  switch (topic) {
    case TOPICS.stored: {
      const [creator, currency] = [addressTopic(log.topics, 2), addressTopic(log.topics, 3)]
      // The amount is what was asked for; the balance is what arrived, all told.
      const balance = wordsOf(log.data, 2)(0)
      return [escrowed(log, transaction, { launchpad, creator, currency, balance, onlyKnown })]
    }
    case TOPICS.claimed:
    case TOPICS.claimedPermissioned: {
      const [creator, currency] = [addressTopic(log.topics, 1), addressTopic(log.topics, 2)]
      const claimed = topic === TOPICS.claimed ? wordsOf(log.data, 1)(0) : wordsOf(log.data, 2)(1)
      return [escrowed(log, transaction, { launchpad, creator, currency, claimed, onlyKnown })]
    }
    default:
      return []
  }
}

function escrowed(
  log: ChainLog,
  transaction: TransactionLogs,
  change: Pick<TokenEventOf<'creatorFee'>, 'launchpad' | 'creator' | 'currency' | 'balance' | 'onlyKnown'> & { readonly claimed?: bigint },
): TokenEvent {
  const at = { ...positionOf(log, transaction), token: ZERO_ADDRESS }
  return { ...at, kind: 'creatorFee', scope: 'creator', accrued: 0n, claimed: 0n, ...change }
}

function poolFacts(token: Address, creation: ReturnType<typeof decodeCreation>): PoolFacts {
  const quoteToken = toAddress(creation.pairedToken)
  const address = creation.poolId.toLowerCase() as Hex
  // Fees are dynamic: each swap tells its own.
  return { address, type: 'uniswap-v4', quoteToken, quoteDecimals: DECIMALS, tokenIsToken0: token < quoteToken, feeBps: null }
}

function decodeCreation(log: ChainLog) {
  try {
    return decodeEventLog({ abi: CREATED, data: log.data, topics: [...log.topics] as [Hex, ...Hex[]] }).args
  } catch (error) {
    throw new MalformedLogError('not a TokenCreated event', { cause: error })
  }
}
