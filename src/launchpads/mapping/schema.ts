import { z } from 'zod'
import { EMITTERS, type Emitter, type Field, KIND_NAMES, KINDS, type Kind } from './kinds.ts'
import { EXPECTED_EVENT } from './signature.ts'

/** One event of the operator's contracts: its signature, its emitter, and the parameter that gives each field. */
export interface EventMapping {
  readonly event: string
  readonly emitter: Emitter
  readonly [field: string]: FieldValue
}

/** The name of a parameter, a list of names, a number, an address, or one of the field's words. */
export type FieldValue = string | number | readonly string[] | undefined

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
  const { holds, isRequired, takesNumber, takesSum, takesAddress, words = [], about } = field
  const error = `expected ${expectation(field)}`
  if (holds === 'choice') return optional(z.enum(words as [string, ...string[]], { error }), isRequired).meta({ description: about })
  const forms = [PARAMETER, ...(takesNumber === true ? [DIGITS] : []), ...(takesAddress === true ? [ADDRESS] : [])]
  const parameter = z.string({ error }).regex(new RegExp(`^(?:${forms.join('|')})$`), { error })
  let schema: z.ZodType = parameter
  if (takesNumber === true) schema = z.union([parameter, z.int({ error }).min(0, { error })], { error })
  if (takesSum === true) schema = z.union([parameter, z.array(parameter, { error }).min(1, { error })], { error })
  return optional(schema, isRequired).meta({ description: about })
}

/** The values that a field takes, as an error message says it after "expected". */
export function expectation({ holds, takesNumber, takesSum, takesAddress, words = [] }: Field): string {
  if (holds === 'choice') return words.map(word => `"${word}"`).join(' or ')
  const others = [
    ...(takesSum === true ? ['a list of such names'] : []),
    ...(takesNumber === true ? ['a whole number'] : []),
    ...(takesAddress === true ? ['an address'] : []),
    ...words.map(word => `"${word}"`),
  ]
  return ['the name of a parameter of the event', ...others].join(' or ')
}

function optional(schema: z.ZodType, isRequired: true | undefined): z.ZodType {
  return isRequired === true ? schema : schema.optional()
}

const EXPECTED_EMITTER = `expected ${EMITTERS.map(emitter => `"${emitter}"`).join(' or ')}`

const event = z.string({ error: EXPECTED_EVENT }).meta({
  description: 'The event as in the contract\'s source: "event Bought(address indexed buyer, uint256 paid)". Give every parameter a name.',
})
const emitter = z.enum(EMITTERS, { error: EXPECTED_EMITTER }).meta({
  description:
    "Which contract emits it: the factory, the escrow, the token itself, or the curve: the token's own one, or the one that the entry names for all tokens.",
})

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

const argument = z.union([z.string(), z.int(), z.boolean()], {
  error: `expected ${CLAIM_WORDS.map(word => `"${word}"`).join(', ')}, or a value that stands for itself`,
})

const EXPECTED_ADDRESS = 'expected an address, 0x and 40 hex digits'

/** The shape of `events`. `compileMapping` finds the mistakes that a schema cannot. */
export const eventsSchema: z.ZodType = strict(
  {
    quoteToken: z
      .string({ error: EXPECTED_ADDRESS })
      .regex(new RegExp(`^${ADDRESS}$`), { error: EXPECTED_ADDRESS })
      .optional()
      .meta({
        description: 'The currency of the curves, where that is neither ETH nor WETH: amounts and prices in WETH are then unknown.',
      }),
    ...Object.fromEntries(KIND_NAMES.map(kind => [kind, kindSchema(kind)])),
    claimCall: strict(
      {
        function: z
          .string({ error: 'expected a function such as "function claim(address token)"' })
          .meta({ description: 'The function as in the contract\'s source: "function claim(address token)".' }),
        contract: z.enum(EMITTERS, { error: EXPECTED_EMITTER }).meta({ description: 'The contract that is called.' }),
        arguments: z.array(argument, { error: 'expected a list of arguments' }).meta({
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
