import { encodeFunctionData, parseAbi, toEventSelector } from 'viem/utils'
import { type Address, type Hex, toAddress, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { cleanText, cleanTokenTexts, TEXT_LIMITS } from '#domain/text.ts'
import {
  type AdapterKind,
  type AdapterOptions,
  contractsOf,
  decodeEach,
  type LaunchpadAdapter,
  type TransactionLogs,
} from '#launchpads/adapter.ts'
import { type DiscoveredSource, launchedSources, poolSource, tokenSource } from '#launchpads/logSource.ts'
import { escrowChange, eventPosition, poolFacts, type TokenEvent } from '#launchpads/tokenEvent.ts'
import { addressTopic, decodeEvent, wordsOf } from '#launchpads/words.ts'
import { CLANKER_TOKEN_TOPICS, decodeClankerToken, surfaceOfContext } from './clankerToken.ts'

/*
 * Clanker v4. One transaction makes a token and its pool inside the Uniswap v4 PoolManager, and ends with the creation event. Fees are paid
 * into one escrow, the fee locker, which keeps accounts by owner and currency.
 */

const [CREATED] = parseAbi([
  'event TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin, string tokenImage, string tokenName, string tokenSymbol, string tokenMetadata, string tokenContext, int24 startingTick, address poolHook, bytes32 poolId, address pairedToken, address locker, address mevModule, uint256 extensionsSupply, address[] extensions)',
])
const CLAIM = parseAbi(['function claim(address feeOwner, address token)'])

const TOPICS = {
  created: toEventSelector(CREATED),
  stored: toEventSelector('StoreTokens(address,address,address,uint256,uint256)'),
  claimed: toEventSelector('ClaimTokens(address,address,uint256)'),
  claimedPermissioned: toEventSelector('ClaimTokensPermissioned(address,address,address,uint256)'),
} as const

const DECIMALS = 18

export const clankerV4: AdapterKind = {
  version: 3,
  contracts: ['factory', 'feeLocker', 'poolManager'],
  presets: {
    factory: toAddress('0xE85A59c628F7d27878ACeB4bf3b35733630083a9'),
    feeLocker: toAddress('0xF3622742b1E446D92e45E22923Ef11C2fcD55D68'),
    poolManager: toAddress('0x498581fF718922c3f8e6A244956aF099B2652b2b'),
  },
  create: createClankerV4,
}

function createClankerV4(options: AdapterOptions): LaunchpadAdapter {
  const { launchpad, startBlock } = options
  const { factory, feeLocker, poolManager } = contractsOf(options, ['factory', 'feeLocker', 'poolManager'])
  const isCreation = (log: ChainLog) => log.address === factory && log.topics[0] === TOPICS.created
  return {
    launchpad,
    startBlock,
    contracts: [
      { address: factory, role: 'contract' },
      { address: feeLocker, role: 'contract' },
      { address: poolManager, role: 'poolManager' },
    ],
    discoveryTopics: new Set([TOPICS.created]),
    decodedTopics: new Set([...Object.values(TOPICS), ...CLANKER_TOKEN_TOPICS]),
    discover: (logs, lookup) => launchedSources(logs.filter(isCreation), log => sourcesOf(log, launchpad), lookup),
    decode: transaction => {
      const ofIndexedToken = transaction.logs.some(
        ({ source }) => source.launchpad === launchpad && (source.role === 'token' || source.role === 'pool'),
      )
      return decodeEach(transaction, entry => {
        const { log } = entry
        if (isCreation(log)) return launch(log, transaction, launchpad)
        if (log.address === feeLocker) return decodeEscrow(log, transaction, launchpad, !ofIndexedToken)
        return decodeClankerToken(entry, transaction, launchpad)
      })
    },
    // The call pays out all of one currency, and reverts when there is nothing to pay.
    claimCall: ({ creator, currency, amount }) =>
      amount === 0n ? null : { to: feeLocker, data: encodeFunctionData({ abi: CLAIM, args: [creator, currency] }) },
  }
}

function sourcesOf(log: ChainLog, launchpad: string): readonly DiscoveredSource[] {
  const { token, pool, event } = decodeCreation(log)
  const contract = (address: string, role: 'contract' | 'module'): DiscoveredSource => ({
    key: toAddress(address),
    source: { role, launchpad },
  })
  return [
    tokenSource(launchpad, token),
    poolSource(launchpad, token, pool, DECIMALS),
    // The factory only accepts contracts that its owner has allowed. Lockers and extensions (vault, airdrop, presale) keep tokens for
    // others.
    ...[event.locker, ...event.extensions].map(address => contract(address, 'contract')),
    ...[event.poolHook, event.mevModule].map(address => contract(address, 'module')),
  ].filter(({ key }) => key !== ZERO_ADDRESS)
}

function launch(log: ChainLog, transaction: TransactionLogs, launchpad: string): readonly TokenEvent[] {
  const { token, creator, pool, event } = decodeCreation(log)
  const position = eventPosition(log, transaction)
  const at = { ...position, token }
  return [
    {
      ...at,
      kind: 'launch',
      launchpad,
      creator,
      ...cleanTokenTexts({ symbol: event.tokenSymbol, name: event.tokenName, metadataUri: event.tokenMetadata }),
      surface: surfaceOfContext(event.tokenContext),
      decimals: DECIMALS,
      // Set in the token's own locker, and depends on its hook.
      creatorFeeBps: null,
      feesReported: { accrued: false, claimed: false },
      graduation: { status: 'none', target: null },
    },
    { ...at, kind: 'updated', fields: { imageUri: cleanText(event.tokenImage, TEXT_LIMITS.metadataUri), admin: creator } },
    { ...at, kind: 'poolCreated', pool, main: true },
    // Opens the creator's accounts: payments by others count from now on.
    ...[pool.quoteToken, token].map(currency => escrowChange(position, { launchpad, creator, currency })),
  ]
}

/**
 * @param onlyKnown whether payments open no accounts. The escrow also serves tokens that are not indexed, so only payments in a transaction
 * with a log of an indexed token may open accounts
 */
function decodeEscrow(log: ChainLog, transaction: TransactionLogs, launchpad: string, onlyKnown: boolean): readonly TokenEvent[] {
  const account = (creator: Address, currency: Address) => ({ launchpad, creator, currency, onlyKnown })
  const position = eventPosition(log, transaction)
  const [topic] = log.topics
  switch (topic) {
    case TOPICS.stored: {
      // The first word is the balance afterwards. The second, the amount asked for, may be more than what arrived.
      const balance = wordsOf(log.data, 2)(0)
      return [escrowChange(position, { ...account(addressTopic(log.topics, 2), addressTopic(log.topics, 3)), balance })]
    }
    case TOPICS.claimed:
    case TOPICS.claimedPermissioned: {
      // The amount leaves the owner's account, also when another account is paid.
      const claimed = topic === TOPICS.claimed ? wordsOf(log.data, 1)(0) : wordsOf(log.data, 2)(1)
      return [escrowChange(position, { ...account(addressTopic(log.topics, 1), addressTopic(log.topics, 2)), claimed })]
    }
    default:
      return []
  }
}

function decodeCreation(log: ChainLog) {
  const event = decodeEvent(CREATED, log)
  const token = addressTopic(log.topics, 1)
  // Fees are dynamic: each swap reports its own.
  const pair = { token, quoteToken: toAddress(event.pairedToken), feeBps: null }
  const pool = poolFacts(event.poolId.toLowerCase() as Hex, 'uniswap-v4', pair)
  return { token, creator: addressTopic(log.topics, 2), pool, event }
}
