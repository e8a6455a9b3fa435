import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type * as client from '#client/generated/types.ts'
import { packagePath } from '#package'
import type { TokenUpdate } from '#protocol/encodeUpdate.ts'
import type { ActorState } from '#resources/actors.ts'
import type { Candle } from '#resources/candles.ts'
import type { Claimable } from '#resources/claimable.ts'
import type { Holder } from '#resources/holders.ts'
import type { Token } from '#resources/token.ts'
import type { Trader } from '#resources/traders.ts'
import type { Trade } from '#resources/trades.ts'
import { generatedFiles } from '../../build/generateClient.ts'

/** `true` when neither type allows a value, or a field, that the other does not. */
type Same<A, B> = [A, Required<A>] extends [B, Required<B>] ? ([B, Required<B>] extends [A, Required<A>] ? true : false) : false

// Checked by the compiler: a generated type that differs from the inferred one makes its entry `false`.
const proved: {
  token: Same<client.Token, Token>
  trade: Same<client.Trade, Trade>
  holder: Same<client.Holder, Holder>
  trader: Same<client.Trader, Trader>
  candle: Same<client.Candle, Candle>
  claimable: Same<client.Claimable, Claimable>
  actorState: Same<client.ActorState, ActorState>
  tokenUpdate: Same<client.TokenUpdate, TokenUpdate>
} = { token: true, trade: true, holder: true, trader: true, candle: true, claimable: true, actorState: true, tokenUpdate: true }

test('the generated types are those of the resources', () => {
  expect(Object.values(proved)).not.toContain(false)
})

test.for(Object.entries(generatedFiles()))('src/client/generated/%s is what `npm run generate` writes', async ([name, text]) => {
  expect(await readFile(packagePath(`src/client/generated/${name}`), 'utf8')).toBe(text)
})
