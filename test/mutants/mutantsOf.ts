import { createHash } from 'node:crypto'
import { parseAst } from 'vite'

/** A small change of the source after which a test should fail. */
export interface Mutant {
  readonly file: string
  readonly line: number
  readonly start: number
  readonly end: number
  readonly old: string
  readonly new: string
  /** Depends on the seed, the file, the changed line and the change alone: other edits leave a sample as it is. */
  readonly rank: string
}

interface Range {
  readonly start: number
  readonly end: number
}

interface Node extends Range {
  readonly type: string
  readonly left?: Node
  readonly right?: Node
  readonly test?: Node
  readonly expression?: Node
  readonly argument?: Node
  readonly property?: Node
  readonly operator?: string
  readonly directive?: string | null
  readonly value?: unknown
}

const OPERATORS = swaps(['<', '<='], ['>', '>='], ['===', '!=='], ['+', '-'], ['*', '/'], ['&&', '||'])
const METHODS = swaps(['some', 'every'], ['min', 'max'])
/** Without them a loop has no end. */
const LOOPS = new Set(['WhileStatement', 'DoWhileStatement', 'ForStatement'])

/** All mutants of a TypeScript source: comparisons, conditions, arithmetic, left-out statements, booleans, negations. */
export function mutantsOf(file: string, source: string, seed: number): readonly Mutant[] {
  const mutants: Mutant[] = []
  const seen = new Map<string, number>()
  const add = ({ start, end }: Range, replacement: string) => {
    const old = source.slice(start, end)
    if (old === replacement) return
    const lineStart = source.lastIndexOf('\n', start - 1) + 1
    const [text = ''] = source.slice(lineStart).split('\n', 1)
    const key = [seed, file, text.trim(), start - lineStart, old, replacement].join('\0')
    const occurrence = seen.get(key) ?? 0
    seen.set(key, occurrence + 1)
    const rank = createHash('sha256').update(`${key}\0${occurrence}`).digest('hex')
    mutants.push({ file, line: source.slice(0, start).split('\n').length, start, end, old, new: replacement, rank })
  }
  const visit = (node: Node) => {
    if (node.type.startsWith('TS') && !('expression' in node)) return
    mutate(node, source, add)
    for (const [field, value] of Object.entries(node)) {
      if (LOOPS.has(node.type) && field !== 'body') continue
      for (const child of [value].flat()) if (isNode(child)) visit(child)
    }
  }
  visit(parseAst(source, { lang: 'ts' }))
  return mutants
}

function mutate(node: Node, source: string, add: (range: Range, replacement: string) => void): void {
  const { left, right, test, operator = '', argument, property } = node
  switch (node.type) {
    case 'BinaryExpression':
    case 'LogicalExpression': {
      const other = OPERATORS.get(operator)
      if (!other || !left || !right || isText(left) || isText(right)) return
      const between = { start: left.end, end: right.start }
      return add(
        between,
        source.slice(between.start, between.end).replace(operator, () => other),
      )
    }
    case 'IfStatement':
    case 'ConditionalExpression':
      for (const constant of test ? ['true', 'false'] : []) add(test ?? node, constant)
      return
    case 'ExpressionStatement':
      // Without a step a loop has no end either.
      return node.directive || node.expression?.type === 'UpdateExpression' ? undefined : add(node, ';')
    case 'UnaryExpression':
      return operator === '!' && argument ? add(node, source.slice(argument.start, argument.end)) : undefined
    case 'Literal':
      return typeof node.value === 'boolean' ? add(node, String(!node.value)) : undefined
    case 'MemberExpression': {
      const other = property && METHODS.get(source.slice(property.start, property.end))
      return other ? add(property, other) : undefined
    }
  }
}

const isText = ({ type, value }: Node) => type === 'TemplateLiteral' || typeof value === 'string'
const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && 'type' in value && 'start' in value

/** Each of a pair by the other one. */
function swaps(...pairs: readonly (readonly [string, string])[]): ReadonlyMap<string, string> {
  return new Map([...pairs, ...pairs.map(([one, other]) => [other, one] as const)])
}
