import { describe, expect, it } from 'vitest'
import { type AskedSize, sizeHint } from '#rpc/limits.ts'

/** A query of blocks 100 to 99,999. */
const WIDE: AskedSize = { limit: 'blocks', size: 99_900, from: 100, to: 99_999 }
const asked = (size: number): AskedSize => ({ limit: 'blocks', size, from: 20_000_000, to: 20_000_000 + size - 1 })

/** What providers have been seen to answer, and the size that is asked for next. */
const WORDS: readonly (readonly [words: string, of: AskedSize, hint: number | null])[] = [
  ['eth_getLogs is limited to a 10,000 range', WIDE, 10_000],
  ['eth_getLogs range is too large, max is 10k blocks', WIDE, 10_000],
  ['Block range exceeds the range allowed for your plan (99900 > 5000)', WIDE, 5_000],
  ['maximum [begin, end] blocks distance: 50', asked(1_000), 50],
  ['query spans 200 blocks, but only 100 are allowed for this request', asked(200), 100],
  ['block range is larger than max block range, block range = 5120, max block range = 5000', asked(5_121), 5_000],
  ['requested too many blocks from 20000000 to 20009999, maximum is set to 2048', asked(10_000), 2_048],
  ['a 2K range, or a cap of 10K logs; this block range should work: [0x64, 0x1f43]', WIDE, 7_904],
  ['query exceeds max results 20000, retry with the range 100-20099', WIDE, 20_000],
  ['too many addresses: 1500, limit is 1000', { ...WIDE, limit: 'addresses', size: 1_500 }, 1_000],
  // The same number again says nothing new.
  ['the limit is 1000', asked(1_000), null],
  ['Please specify a smaller block range', WIDE, null],
  ['查询范围过大', WIDE, null],
  ['', WIDE, null],
  // Far too small to be believed at once.
  ['error 3: range too large', WIDE, 3_122],
  [`block range exceeds ${'9'.repeat(40)}`, WIDE, null],
  ['block range exceeds 0', WIDE, null],
]

describe('the size that a refusal suggests', () => {
  it.each(WORDS)('by the words %j to %o', (words, of, hint) => {
    expect(sizeHint(words, of)).toBe(hint)
  })

  it('is looked for in a bounded part of a text that the provider chose', () => {
    expect(sizeHint(`${' '.repeat(10_000_000)}block range exceeds 5000`, WIDE)).toBeNull()
  })
})
