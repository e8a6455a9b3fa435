/*
 * The events that an operator can map, and the fields of each. The schema, the checks and the decoding of logs follow this table.
 */

/** The contract that emits an event. `curve`: the token's own curve, or the one that the entry names for all tokens. */
export const EMITTERS = ['factory', 'curve', 'token', 'escrow'] as const
export type Emitter = (typeof EMITTERS)[number]

export const KIND_NAMES = ['launch', 'buy', 'sell', 'trade', 'state', 'complete', 'graduate', 'pool', 'feeAccrued', 'feeClaimed'] as const
export type Kind = (typeof KIND_NAMES)[number]

export interface Field {
  /**
   * The type of the value, which a parameter of the event gives. `id`: of a pool inside a PoolManager. `amount`: unsigned, in raw units.
   * `flag`: a bool, or an amount that counts as true unless it is zero. `choice`: one of `words`, no parameter.
   */
  readonly holds: 'address' | 'id' | 'amount' | 'text' | 'flag' | 'bps' | 'choice'
  readonly isRequired?: true
  /** A number for all events may stand in place of the parameter. */
  readonly takesNumber?: true
  /** A list of parameters may be given, whose sum counts. */
  readonly takesSum?: true
  /** Words that may stand in place of the parameter. */
  readonly words?: readonly string[]
  /** An address for all events may stand in place of the parameter. */
  readonly takesAddress?: true
  /** A call at the end of the launch's block may stand in place of the parameter. */
  readonly takesCall?: true
  /** What tells a pool may stand in place of the parameter. */
  readonly takesPool?: true
  /** For the JSON schema. */
  readonly about: string
}

export type Fields = Readonly<Record<string, Field>>

const TOKEN: Field = { holds: 'address', about: 'The token. Needed where the emitter is a contract for all tokens.' }
const CURVE: Field = {
  holds: 'address',
  about: "The token's curve. Needed where the launch names one and another contract emits the event.",
}
const QUOTE_TOKEN: Field = { holds: 'address', words: ['weth'], takesAddress: true, about: '' }

const STATE: Fields = {
  virtualQuote: {
    holds: 'amount',
    takesNumber: true,
    about: 'The virtual reserve in wei after the event: the price is virtualQuote per virtualToken.',
  },
  virtualToken: { holds: 'amount', takesNumber: true, about: 'The virtual reserve of the token after the event.' },
  price: { holds: 'amount', takesNumber: true, about: 'Wei per whole token after the event, instead of virtual reserves.' },
  reserveQuote: { holds: 'amount', takesNumber: true, about: 'What the curve holds in wei after the event.' },
  reserveToken: { holds: 'amount', takesNumber: true, about: 'What the curve holds of the token after the event.' },
  raised: { holds: 'amount', takesNumber: true, about: 'What is raised towards the target in wei after the event.' },
}

const TOKEN_AMOUNT: Field = { holds: 'amount', takesSum: true, about: 'Tokens bought or sold; a list of parameters: their sum.' }
const QUOTE_AMOUNT: Field = { holds: 'amount', takesSum: true, about: 'Wei paid or received; a list of parameters: their sum.' }

const TRADE: Fields = {
  token: TOKEN,
  curve: CURVE,
  maker: {
    holds: 'address',
    isRequired: true,
    words: ['sender', 'transfers'],
    about:
      "Who bought or sold. sender: the transaction's sender; transfers: the account that the token's transfers in the transaction lead to, else the sender.",
  },
  tokenAmount: { ...TOKEN_AMOUNT, isRequired: true },
  quoteAmount: { ...QUOTE_AMOUNT, isRequired: true },
  fee: { holds: 'amount', takesSum: true, about: 'The fee in wei; a list of parameters: their sum.' },
  quoteAmountIs: {
    holds: 'choice',
    words: ['beforeFees', 'afterFees'],
    about:
      'Needed with fee. beforeFees: quoteAmount holds the fee (a buyer pays it, a seller gets less); afterFees: it does not (a buyer pays more, a seller gets it).',
  },
  ...STATE,
}

const POOL_TYPE: Field = {
  holds: 'choice',
  words: ['uniswap-v2', 'uniswap-v3', 'uniswap-v4', 'pancakeswap-v3'],
  about: 'The kind of the pool.',
}

const PLACE: Fields = {
  pool: {
    holds: 'address',
    takesPool: true,
    about: 'The pool in which the token trades; where no event names it, the factory that makes it, or its hook. Either this or poolId.',
  },
  poolId: { holds: 'id', about: 'Of uniswap-v4: the id of the pool inside the poolManager. Either this or pool.' },
  poolFeeBps: {
    holds: 'bps',
    takesNumber: true,
    words: ['unknown'],
    about: "The pool's fee in basis points. Left out: 30 for uniswap-v2, unknown for the others.",
  },
}

const POOL: Fields = {
  token: TOKEN,
  ...PLACE,
  poolType: { ...POOL_TYPE, isRequired: true },
  quoteToken: { ...QUOTE_TOKEN, about: "What the token is paired with there. Left out: the currency of the token's curve." },
}

const FEE: Fields = {
  token: { ...TOKEN, about: 'The token. Left out where the escrow holds one sum per creator for all tokens.' },
  creator: { holds: 'address', isRequired: true, about: 'Whose fee it is.' },
  amount: { holds: 'amount', isRequired: true, about: 'How much accrues or is claimed, in raw units of the currency.' },
  currency: {
    holds: 'address',
    isRequired: true,
    words: ['native', 'weth'],
    takesAddress: true,
    about: 'The currency: a parameter, an address, weth, or native for ETH.',
  },
}

export const KINDS: Readonly<Record<Kind, { readonly about: string; readonly fields: Fields }>> = {
  launch: {
    about: 'A token is launched.',
    fields: {
      token: { ...TOKEN, isRequired: true, about: 'The token.' },
      creator: {
        holds: 'address',
        isRequired: true,
        words: ['sender'],
        takesCall: true,
        about: "Who launched it. sender: the transaction's sender.",
      },
      decimals: { holds: 'amount', isRequired: true, takesNumber: true, about: "The token's decimals; 18 for most." },
      curve: { holds: 'address', about: 'The contract in which the token trades, where each token has its own.' },
      quoteToken: {
        ...QUOTE_TOKEN,
        takesCall: true,
        about: 'The currency of its curve or pool, where tokens have different ones. The zero address is ETH.',
      },
      ...PLACE,
      poolType: { ...POOL_TYPE, about: 'The kind of the pool that the token is launched into, where it has no curve.' },
      name: { holds: 'text', takesCall: true, about: "The token's name." },
      symbol: { holds: 'text', takesCall: true, about: "The token's symbol." },
      metadataUri: { holds: 'text', takesCall: true, about: "Where the token's metadata is." },
      totalSupply: {
        holds: 'amount',
        takesNumber: true,
        takesCall: true,
        about: 'The supply, for tokens that mint it without a Transfer event.',
      },
      target: { holds: 'amount', takesNumber: true, takesCall: true, about: 'What the curve is to raise in wei before it graduates.' },
      targetToken: {
        holds: 'amount',
        takesNumber: true,
        about:
          'Instead of target, for curves of constant product: what virtualToken comes down to when the curve graduates. Needs virtualQuote and virtualToken.',
      },
      feeBps: { holds: 'bps', takesNumber: true, about: "The curve's fee in basis points." },
      creatorFeeBps: { holds: 'bps', takesNumber: true, about: 'What the creator gets of a trade, in basis points.' },
      creatorShareBps: { holds: 'bps', takesNumber: true, about: 'What the creator gets of the fee, in basis points; needs feeBps.' },
      ...STATE,
    },
  },
  buy: { about: 'Tokens are bought on the curve.', fields: TRADE },
  sell: { about: 'Tokens are sold on the curve.', fields: TRADE },
  trade: {
    about: 'Tokens are bought or sold on the curve, where one event covers both.',
    fields: {
      ...TRADE,
      tokenAmount: TOKEN_AMOUNT,
      quoteAmount: QUOTE_AMOUNT,
      amountIn: {
        holds: 'amount',
        takesSum: true,
        about: 'What the maker paid, in the currency that went in. With amountOut in place of the others.',
      },
      amountOut: { holds: 'amount', takesSum: true, about: 'What the maker received, in the currency that came out.' },
      isBuy: { holds: 'flag', about: 'Whether it is a buy: a bool, or an amount that only buys have. Either this, isSell or tokenIn.' },
      isSell: { holds: 'flag', about: 'Whether it is a sell: a bool, or an amount that only sells have. Either this, isBuy or tokenIn.' },
      tokenIn: {
        holds: 'address',
        about: 'The currency that went in: a sell where it is the token, else a buy. Either this, isBuy or isSell.',
      },
      tokenOut: {
        holds: 'address',
        about: 'The currency that came out. With tokenIn it tells the token, too, so that token may be left out.',
      },
    },
  },
  state: {
    about: 'The state of a curve, told apart from its trades.',
    fields: {
      token: TOKEN,
      curve: CURVE,
      ...STATE,
      comes: {
        holds: 'choice',
        words: ['beforeTrade', 'afterTrade'],
        about: 'Whether it comes before the event of the trade that it belongs to (default), or after it.',
      },
    },
  },
  complete: {
    about: 'The target is reached; trading on the curve ends.',
    fields: { token: TOKEN, raised: { holds: 'amount', about: 'What was raised in wei.' } },
  },
  graduate: { about: 'The token moves from its curve into a pool, which is its main pool from then on.', fields: POOL },
  pool: {
    about: 'Another pool of the token: its trades count, the price stays that of the main pool.',
    fields: POOL,
  },
  feeAccrued: { about: "A creator's share of a fee goes to the escrow.", fields: FEE },
  feeClaimed: { about: 'A creator takes fees from the escrow.', fields: FEE },
}
