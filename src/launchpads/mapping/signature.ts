import type { AbiEvent, AbiFunction, AbiParameter } from 'viem'
import { parseAbiItem } from 'viem/utils'
import { abbreviate } from '#domain/text.ts'

/** Bounds the cost of parsing; real signatures are far shorter. */
const MAX_CHARACTERS = 2_000
/** Solidity ABI specification, "Events". */
const MAX_INDEXED = 3
/** Bounds the recursion. */
const MAX_LEVELS = 4

export type ParsedSignature<T> = { readonly kind: 'valid'; readonly value: T } | { readonly kind: 'invalid'; readonly problem: string }

export const EXPECTED_EVENT = 'expected an event as in the contract\'s source, such as "event Bought(address indexed buyer, uint256 paid)"'
const EXPECTED_FUNCTION = 'expected a function as in the contract\'s source, such as "function claim(address token)"'

export function parseEventSignature(text: string): ParsedSignature<AbiEvent> {
  const parsed = parseSignature(text, 'event', EXPECTED_EVENT)
  if (parsed.kind === 'invalid') return parsed
  const inputs = parsed.value.inputs
  const indexed = inputs.filter(input => 'indexed' in input && input.indexed === true).length
  if (indexed > MAX_INDEXED) return refuse(`an event has at most ${MAX_INDEXED} indexed parameters, this one ${indexed}`)
  return repetition(inputs) ?? { kind: 'valid', value: parsed.value as AbiEvent }
}

export function parseFunctionSignature(text: string): ParsedSignature<AbiFunction> {
  const parsed = parseSignature(text, 'function', EXPECTED_FUNCTION)
  return parsed.kind === 'valid' ? { kind: 'valid', value: parsed.value as AbiFunction } : parsed
}

function parseSignature(text: string, kind: 'event' | 'function', expected: string): ParsedSignature<AbiEvent | AbiFunction> {
  if (text.length > MAX_CHARACTERS) return refuse(`${expected}; this one has ${text.length} characters`)
  const depth = nesting(text)
  if (depth > MAX_LEVELS) return refuse(`${expected}; this one is nested ${depth} levels deep`)
  const signature = normalize(text)
  if (!signature.startsWith(`${kind} `)) return refuse(`${expected}, got ${abbreviate(text)}`)
  try {
    const item = parseAbiItem([signature] as readonly string[])
    if (typeof item !== 'object' || item === null || !('type' in item) || item.type !== kind)
      return refuse(`${expected}, got ${abbreviate(text)}`)
    return { kind: 'valid', value: item }
  } catch (error) {
    return refuse(`${expected}, got ${abbreviate(text)}${reason(error)}`)
  }
}

/** viem's parser takes single spaces only, and no semicolon. */
function normalize(text: string): string {
  return text
    .trim()
    .replace(/;$/, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?([(]) /g, '$1')
    .replace(/ ([),])/g, '$1')
    .replace(/^(event|function) (\w+) \(/, '$1 $2(')
    .trim()
}

function nesting(text: string): number {
  let level = 0
  let deepest = 0
  for (const character of text) {
    if (character === '(') deepest = Math.max(deepest, ++level)
    if (character === ')') level--
  }
  return deepest
}

/** The parser's message about a part of the signature. Its message about the whole adds nothing to `expected`. */
function reason(error: unknown): string {
  const details = (error as { readonly metaMessages?: readonly string[] }).metaMessages?.[0]
  if (details === undefined) return ''
  const hint = details.includes('not a valid ABI type') ? ' (a struct is written as a tuple: "(address a, uint256 b) name")' : ''
  return `; ${details.split('. More info')[0]}${hint}`
}

function repetition(parameters: readonly AbiParameter[]): ParsedSignature<never> | null {
  const names = parameters.flatMap(({ name }) => (name === undefined || name === '' ? [] : [name]))
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) return refuse(`two of its parameters have the name "${twice}"`)
  for (const parameter of parameters) {
    const inside = repetition(componentsOf(parameter))
    if (inside !== null) return inside
  }
  return null
}

export function componentsOf(parameter: AbiParameter): readonly AbiParameter[] {
  return 'components' in parameter ? parameter.components : []
}

function refuse(problem: string): { readonly kind: 'invalid'; readonly problem: string } {
  return { kind: 'invalid', problem }
}
