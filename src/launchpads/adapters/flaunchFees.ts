import { toEventSelector } from 'viem/utils'
import { type Address, type Hex, ZERO_ADDRESS } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import type { TransactionLogs } from '#launchpads/adapter.ts'
import type { SourceLookup } from '#launchpads/logSource.ts'
import { escrowChange, eventPosition, type TokenEvent } from '#launchpads/tokenEvent.ts'
import { TRANSFER_TOPIC } from '#launchpads/transfer.ts'
import { addressTopic, addressWord, wordsByName } from '#launchpads/words.ts'

/** Events of Flaunch's fees (FeeDistributor.sol, FeeEscrow.sol). */
const TOPICS = {
  distributed: toEventSelector('PoolFeesDistributed(bytes32,uint256,uint256,uint256,uint256,uint256)'),
  deposit: toEventSelector('Deposit(bytes32,address,address,uint256)'),
  withdrawal: toEventSelector('Withdrawal(address,address,address,uint256)'),
  /** With the account's currency, and then what was paid out: both are the same unless it is unwrapped. */
  withdrawalOf: toEventSelector('Withdrawal(address,address,address,address,uint256)'),
} as const

export const FLAUNCH_FEE_TOPICS: readonly Hex[] = Object.values(TOPICS)

interface Context extends Readonly<Record<'factory' | 'nft', Address>> {
  /** The currency of all accounts; `undefined`: each account has one. */
  readonly nativeToken: Address | undefined
  /** `undefined`: not known. */
  readonly feeEscrow: Address | undefined
  readonly launchpad: string
  readonly lookup: SourceLookup
}

/** Decodes the creator's share of a token's fees, the owner of a revenue NFT, and changes of accounts in the escrow. */
export function decodeFlaunchFees(log: ChainLog, transaction: TransactionLogs, context: Context): readonly TokenEvent[] {
  const { launchpad, factory, nft, nativeToken, feeEscrow, lookup } = context
  const position = eventPosition(log, transaction)
  const account = (creator: Address, currency: Address) => ({ launchpad, creator, currency })
  const [topic, id = '0x'] = log.topics
  switch (topic) {
    case TOPICS.distributed: {
      const source = lookup(id)
      if (log.address !== factory || source?.role !== 'pool' || source.launchpad !== launchpad) return []
      return [
        {
          ...position,
          token: source.token,
          kind: 'creatorShare',
          accruedWei: wordsByName(log.data, 5, { creatorShare: 1 })('creatorShare'),
        },
      ]
    }
    case TRANSFER_TOPIC: {
      if (log.address !== nft || nativeToken === undefined) return []
      const owner = addressTopic(log.topics, 2)
      // Opens the new owner's account. What the old one has earned stays with it.
      return owner === ZERO_ADDRESS ? [] : [escrowChange(position, account(owner, nativeToken))]
    }
    case TOPICS.deposit: {
      if (log.address !== feeEscrow) return []
      const field = wordsByName(log.data, 3, { payee: 0, currency: 1, amount: 2 })
      const currency = addressWord(field('currency'))
      const source = lookup(id)
      // Anybody may pay in a currency of their own. It opens no account unless a memecoin is in it.
      const onlyKnown = nativeToken === undefined && !(source?.role === 'pool' && source.pool.quoteToken === currency)
      return [escrowChange(position, { ...account(addressWord(field('payee')), currency), accrued: field('amount'), onlyKnown })]
    }
    case TOPICS.withdrawal: {
      if (log.address !== feeEscrow || nativeToken === undefined) return []
      const field = wordsByName(log.data, 4, { sender: 0, currency: 2, amount: 3 })
      // The zero address is the native token, paid out as ETH.
      const paid = addressWord(field('currency'))
      const currency = paid === ZERO_ADDRESS ? nativeToken : paid
      return [escrowChange(position, { ...account(addressWord(field('sender')), currency), claimed: field('amount') })]
    }
    case TOPICS.withdrawalOf: {
      if (log.address !== feeEscrow) return []
      const field = wordsByName(log.data, 5, { sender: 0, currency: 2, amount: 4 })
      const whose = account(addressWord(field('sender')), addressWord(field('currency')))
      return [escrowChange(position, { ...whose, claimed: field('amount'), onlyKnown: true })]
    }
    default:
      return []
  }
}
