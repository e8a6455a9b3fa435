import { readFile, rm } from 'node:fs/promises'
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
import { clientSources } from '../../build/clientSources.ts'
import { launchpadsSchema } from '../../build/configurationFiles.ts'
import { generateIfStale } from '../../build/generate.ts'

const DIFFERS = 'typeOf of build/jsonNode.ts writes another type than zod infers'

/** `same` when neither type allows a value, or a field, that the other does not. */
type Compared<A, B> = [A, Required<A>] extends [B, Required<B>]
  ? [B, Required<B>] extends [A, Required<A>]
    ? 'same'
    : typeof DIFFERS
  : typeof DIFFERS

// Checked by the compiler, whose message says what is wrong.
const compared: {
  token: Compared<client.Token, Token>
  trade: Compared<client.Trade, Trade>
  holder: Compared<client.Holder, Holder>
  trader: Compared<client.Trader, Trader>
  candle: Compared<client.Candle, Candle>
  claimable: Compared<client.Claimable, Claimable>
  actorState: Compared<client.ActorState, ActorState>
  tokenUpdate: Compared<client.TokenUpdate, TokenUpdate>
} = {
  token: 'same',
  trade: 'same',
  holder: 'same',
  trader: 'same',
  candle: 'same',
  claimable: 'same',
  actorState: 'same',
  tokenUpdate: 'same',
}

test('the generated types are those of the resources', () => {
  expect(Object.values(compared)).not.toContain(DIFFERS)
})

test('a run of the tests begins with what the sources give', async () => {
  const read = (file: string) => readFile(packagePath(file), 'utf8')
  for (const [name, text] of Object.entries(clientSources())) expect(await read(`src/client/generated/${name}`)).toBe(text)
  expect(await read('src/configuration/launchpads.schema.json')).toBe(launchpadsSchema())
})

test('what is missing is written again, and is the same', async () => {
  const file = packagePath('docs/api/llms.txt')
  const before = await readFile(file, 'utf8')
  await rm(file)
  await generateIfStale()
  expect(await readFile(file, 'utf8')).toBe(before)
})
