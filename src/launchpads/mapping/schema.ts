import { z } from 'zod'
import { EMITTERS, type Emitter, type Field, KIND_NAMES, KINDS, type Kind } from './kinds.ts'
import { EXPECTED_EVENT } from './signature.ts'

/** One event of the operator's contracts: its signature, its emitter, and the parameter that gives each field. */
export interface EventMapping {
  readonly event: string
  readonly emitter: Emitter
  readonly [field: string]: FieldValue
}

/** The name of a parameter, a list of names, a number, an address, one of the field's words, a call, or a pool. */
export type FieldValue = string | number | readonly string[] | CallMapping | PoolMapping | undefined

/**
 * What tells a pool that no parameter names: the factory that makes it of the token and its currency, or the hook with which the
 * PoolManager initialises it in the event's transaction.
 */
export interface PoolMapping {
  readonly factory?: string
  /** The hash of a pool's creation code. Left out: the factory makes the pool in the event's transaction. */
  readonly codeHash?: string
  /** An address, the zero address for none, or the name of a parameter. */
  readonly hook?: string
  /** Of a factory that tells its pools apart by it, and not by their fee, or of pools with the hook. */
  readonly tickSpacing?: number
}

/** A call that returns a field of a launch. */
export interface CallMapping {
  readonly function: string
  /** Default: the token. */
  readonly contract?: Emitter
  /** Default: none. */
  readonly arguments?: readonly (string | number | boolean)[]
  /** Which of the values that it returns. Left out: it returns one. */
  readonly result?: string
}

export interface ClaimMapping {
  readonly function: string
  readonly contract: Emitter
  readonly arguments: readonly (string | number | boolean)[]
}

/** `events` of an entry in `launchpads.json`. */
export type EventsMapping = Readonly<Partial<Record<Kind, EventMapping | readonly EventMapping[]>>> & {
  readonly quoteToken?: string
  readonly claimCall?: ClaimMapping
}

/** Words for the values of a claim, among the arguments of `claimCall`. */
export const CLAIM_WORDS = ['token', 'creator', 'currency', 'amount'] as const

const NAME = '[A-Za-z_$][A-Za-z0-9_$]*'
const PARAMETER = `${NAME}(?:\\.${NAME})*`
const DIGITS = '\\d{1,78}'
const ADDRESS = '0x[0-9a-fA-F]{40}'

function fieldSchema(field: Field): z.ZodType {
  const { holds, isRequired, takesNumber, takesSum, takesAddress, takesCall, takesPool, words = [], about } = field
  const error = `expected ${expectation(field)}`
  if (holds === 'choice') return optional(z.enum(words as [string, ...string[]], { error }), isRequired).meta({ description: about })
  const forms = [PARAMETER, ...(takesNumber === true ? [DIGITS] : []), ...(takesAddress === true ? [ADDRESS] : [])]
  const parameter = z.string({ error }).regex(new RegExp(`^(?:${forms.join('|')})$`), { error })
  let schema: z.ZodType = parameter
  if (takesNumber === true) schema = z.union([parameter, z.int({ error }).min(0, { error })], { error })
  if (takesSum === true) schema = z.union([parameter, z.array(parameter, { error }).min(1, { error })], { error })
  if (takesCall === true) schema = z.union([schema, callSchema], { error })
  if (takesPool === true) schema = z.union([schema, poolSchema], { error })
  return optional(schema, isRequired).meta({ description: about })
}

/** The values that a field takes, as an error message says it after "expected". */
export function expectation({ holds, takesNumber, takesSum, takesAddress, takesCall, takesPool, words = [] }: Field): string {
  if (holds === 'choice') return words.map(word => `"${word}"`).join(' or ')
  const others = [
    ...(takesSum === true ? ['a list of such names'] : []),
    ...(takesNumber === true ? ['a whole number'] : []),
    ...(takesAddress === true ? ['an address'] : []),
    ...words.map(word => `"${word}"`),
    ...(takesCall === true ? ['a call'] : []),
    ...(takesPool === true ? ['a factory or a hook'] : []),
  ]
  return ['the name of a parameter of the event', ...others].join(' or ')
}

function optional(schema: z.ZodType, isRequired: true | undefined): z.ZodType {
  return isRequired === true ? schema : schema.optional()
}

const EXPECTED_ADDRESS = 'expected an address, 0x and 40 hex digits'
const address = z.string({ error: EXPECTED_ADDRESS }).regex(new RegExp(`^${ADDRESS}$`), { error: EXPECTED_ADDRESS })
const EXPECTED_EMITTER = `expected ${EMITTERS.map(emitter => `"${emitter}"`).join(' or ')}`

const event = z.string({ error: EXPECTED_EVENT }).meta({
  description: 'The event as in the contract\'s source: "event Bought(address indexed buyer, uint256 paid)". Give every parameter a name.',
})
const contract = z.enum(EMITTERS, { error: EXPECTED_EMITTER })
const emitter = contract.meta({
  description:
    "Which contract emits it: the factory, the escrow, the token itself, or the curve: the token's own one, or the one that the entry names for all tokens.",
})

const argument = z.union([z.string(), z.int(), z.boolean()], {
  error: `expected ${CLAIM_WORDS.map(word => `"${word}"`).join(', ')}, or a value that stands for itself`,
})
const argumentList = z.array(argument, { error: 'expected a list of arguments' })

const EXPECTED_HASH = "expected the hash of a pool's creation code, 0x and 64 hex digits"

const EXPECTED_SPACING = 'expected a tick spacing, a whole number from 1 to 32767'
const EXPECTED_HOOK = 'expected the address of a hook, the zero address for none, or the name of a parameter of the event'

const poolSchema = strict(
  {
    factory: address.optional(),
    codeHash: z
      .string({ error: EXPECTED_HASH })
      .regex(/^0x[0-9a-fA-F]{64}$/, { error: EXPECTED_HASH })
      .optional(),
    hook: z
      .string({ error: EXPECTED_HOOK })
      .regex(new RegExp(`^(?:${PARAMETER}|${ADDRESS})$`), { error: EXPECTED_HOOK })
      .optional(),
    tickSpacing: z.int({ error: EXPECTED_SPACING }).min(1, { error: EXPECTED_SPACING }).max(32_767, { error: EXPECTED_SPACING }).optional(),
  },
  'a factory or a hook',
).meta({
  description:
    "What tells the pool. factory: it makes the pool of the token and its currency, by codeHash (the hash of a pool's creation code) or, without codeHash, in the same transaction. hook, of uniswap-v4: the poolManager initialises the pool in the same transaction with this hook (an address, the zero address for none, or a parameter). tickSpacing: of pools that are told apart by it.",
})

const callSchema = strict(
  {
    function: z
      .string({ error: 'expected a function such as "function name() view returns (string)"' })
      .meta({ description: 'The function as in the contract\'s source: "function name() view returns (string)".' }),
    contract: contract.optional().meta({ description: 'The contract that is called. Left out: the token.' }),
    arguments: argumentList.optional().meta({ description: 'One per parameter: token, or a value that stands for itself.' }),
    result: z
      .string({ error: 'expected the name of a value that the function returns' })
      .optional()
      .meta({ description: 'Which of the values that it returns. Left out: it returns one.' }),
  },
  'a call',
).meta({ description: "Read by a call at the end of the launch's block, which needs nodes that keep the state of that block." })

function kindSchema(kind: Kind): z.ZodType {
  const { about, fields } = KINDS[kind]
  const one = strict(
    { event, emitter, ...Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, fieldSchema(field)])) },
    'an event mapping',
  )
  const error = 'expected an event mapping or a list of them'
  const schema = z.union([one, z.array(one).min(1, { error })], { error })
  return optional(schema, kind === 'launch' ? true : undefined).meta({ description: about })
}

/** The shape of `events`. `compileMapping` finds the mistakes that a schema cannot. */
export const eventsSchema: z.ZodType = strict(
  {
    quoteToken: address.optional().meta({
      description: 'The currency of the curves, where that is neither ETH nor WETH: amounts and prices in WETH are then unknown.',
    }),
    ...Object.fromEntries(KIND_NAMES.map(kind => [kind, kindSchema(kind)])),
    claimCall: strict(
      {
        function: z
          .string({ error: 'expected a function such as "function claim(address token)"' })
          .meta({ description: 'The function as in the contract\'s source: "function claim(address token)".' }),
        contract: contract.meta({ description: 'The contract that is called.' }),
        arguments: argumentList.meta({
          description: 'One per parameter: token, creator, currency, amount (what is claimable), or a value that stands for itself.',
        }),
      },
      'a claim call',
    )
      .optional()
      .meta({ description: 'The call that pays a creator out.' }),
  },
  'an object with the events launch, and buy and sell or trade',
)

function strict(shape: Readonly<Record<string, z.ZodType>>, what: string): z.ZodType {
  return z.strictObject(shape, {
    error: issue => (issue.code === 'unrecognized_keys' ? `unknown, expected only ${Object.keys(shape).join(', ')}` : `expected ${what}`),
  })
}
