import { encodeAbiParameters, type Hex, toFunctionSelector, toHex } from 'viem'
import { expect, test } from 'vitest'
import { fetchCurrency } from '#jobs/currencyReader.ts'
import { RpcError } from '#rpc/rpcFault.ts'
import { testAddress } from '#test/support/simulatedChain.ts'

const CURRENCY = testAddress(9)
const DECIMALS = toFunctionSelector('decimals()')
const reverts = new RpcError({ kind: 'rejected', code: 3, text: 'execution reverted' })
const text = (symbol: string) => encodeAbiParameters([{ type: 'string' }], [symbol])
const word = (value: bigint) => toHex(value, { size: 32 })

/** A contract that answers so. */
function contract(decimals: unknown, symbol: unknown) {
  const request = async ({ params }: { readonly params?: readonly unknown[] }) => {
    const [{ data }] = params as readonly [{ readonly data: Hex }]
    const answer = data === DECIMALS ? decimals : symbol
    if (answer instanceof Error) throw answer
    return answer
  }
  return { request } as Parameters<typeof fetchCurrency>[0]
}

test.each<[string, unknown, unknown, number | null, string | null]>([
  ['as its contract says', word(6n), text('USDC'), 6, 'USDC'],
  ['with a symbol of 32 bytes', word(18n), toHex('MKR', { size: 32 }).replace(/^0x0+/, '0x').padEnd(66, '0'), 18, 'MKR'],
  ['without either', reverts, reverts, null, null],
  ['of an account without code', '0x', '0x', null, null],
  ['with decimals that no number has', word(2n ** 255n), text('A'), null, 'A'],
  ['with more decimals than any currency', word(37n), text('A'), null, 'A'],
  ['with decimals that are no number', text('18'), text('A'), null, 'A'],
  ['with control characters', word(18n), text('\0\u001b[31mU\nSD\u0007 '), 18, '[31mUSD'],
  ['with a symbol of a hundred characters', word(18n), text('x'.repeat(100)), 18, 'x'.repeat(32)],
  ['with a symbol of megabytes', word(18n), text('x'.repeat(1_000_000)), 18, null],
  ['with a symbol that points out of the answer', word(18n), `${word(2n ** 200n)}${'00'.repeat(64)}`, 18, null],
  ['with bytes that are no UTF-8', word(18n), `0x${'ff'.repeat(32)}`, 18, '\ufffd'.repeat(32)],
  ['with an answer that is none', 7, { symbol: 'A' }, null, null],
])('a currency is read %s', async (_, decimals, symbol, expectedDecimals, expectedSymbol) => {
  expect(await fetchCurrency(contract(decimals, symbol), CURRENCY)).toEqual({
    address: CURRENCY,
    decimals: expectedDecimals,
    symbol: expectedSymbol,
    isRead: true,
  })
})

test('nothing is known of it while no provider answers', async () => {
  const away = new RpcError({ kind: 'timeout' })
  await expect(fetchCurrency(contract(word(6n), away), CURRENCY)).rejects.toBe(away)
})
