import { expect, it } from 'vitest'
import { type ProofSpan, spanOf, withHeader } from '#rpc/chainCheck.ts'
import { createSimulatedChain } from '#test/support/simulatedChain.ts'

const { header } = createSimulatedChain().head()
const after = (...seen: readonly (readonly [number: number, isProven: boolean])[]) =>
  seen.reduce<readonly ProofSpan[]>((spans, [number, isProven]) => withHeader(spans, { ...header, number, isProven }), [])
const shown = (spans: readonly ProofSpan[]) => spans.map(({ from, isProven, newest }) => [from, isProven, newest.number])

it('begins a span where a header is proven and the one below it is not, or the other way round', () => {
  expect(shown(after([9, true], [5, true], [20, false], [25, false], [12, true]))).toEqual([
    [5, true, 12],
    [20, false, 25],
  ])
  expect(shown(after([9, true], [20, false], [15, false]))).toEqual([
    [9, true, 9],
    [15, false, 20],
  ])
  expect(shown(after([9, true], [9, false]))).toEqual([[9, false, 9]])
})

it('takes the lowest span for blocks below it', () => {
  const spans = after([9, true], [20, false])
  expect([0, 9, 19, 20, 99].map(number => spanOf(spans, number)?.isProven)).toEqual([true, true, true, false, false])
  expect(spanOf([], 4)).toBeNull()
})

it('holds no more than 32 spans', () => {
  expect(after(...Array.from({ length: 100 }, (_, number) => [number, number % 2 === 0] as const))).toHaveLength(32)
})
