import type { ChainHeader } from './header.ts'

/** Blocks, from one on up to the next span, whose headers were proven, or were not. Forks of a chain begin new spans. */
export interface ProofSpan {
  readonly from: number
  readonly isProven: boolean
  /** The highest header that was believed. */
  readonly newest: ChainHeader
}

/** Bounds the memory if a provider shows proven headers now and then on a chain whose headers are not. */
const MAX_SPANS = 32

/** The span of a block; of one below all spans, the lowest. `null`: no header was believed yet. */
export function spanOf(spans: readonly ProofSpan[], number: number): ProofSpan | null {
  return spans.findLast(({ from }) => from <= number) ?? spans[0] ?? null
}

/** The spans, ascending, after a header was believed. */
export function withHeader(spans: readonly ProofSpan[], header: ChainHeader): readonly ProofSpan[] {
  const { number, isProven } = header
  const before = spans.filter(span => span.from < number || (span.from === number && span.isProven === isProven))
  const after = spans.filter(({ from }) => from > number)
  const all = [...before, { from: number, isProven, newest: header }, ...after]
  return all.reduce<readonly ProofSpan[]>(joined, []).slice(-MAX_SPANS)
}

/** A span joins the one before it if both are of one kind. */
function joined(spans: readonly ProofSpan[], span: ProofSpan): readonly ProofSpan[] {
  const last = spans.at(-1)
  if (last?.isProven !== span.isProven) return [...spans, span]
  const newest = last.newest.number > span.newest.number ? last.newest : span.newest
  return [...spans.slice(0, -1), { ...last, newest }]
}
