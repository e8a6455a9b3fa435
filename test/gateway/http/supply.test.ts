import { beforeAll, expect, test } from 'vitest'
import { holdersOf, tokenOf } from '#test/support/snapshots.ts'
import { type Gateway, NOT_INDEXED, startGateway, TOKEN } from '../startGateway.ts'
import { expectProblem } from './expectProblem.ts'

let gateway: Gateway
beforeAll(async () => {
  const [first, second, third] = holdersOf(3)
  if (first === undefined || second === undefined || third === undefined) throw new Error('three holders are expected')
  gateway = await startGateway({
    stored: {
      tokens: [tokenOf(TOKEN, 1, { totalSupply: '1000500000000000000000', decimals: 18 })],
      holders: new Map([
        [
          TOKEN,
          [
            { ...first, type: 'burn', balance: '100000000000000000000' },
            { ...second, type: 'locker', balance: '250000000000000000' },
            { ...third, type: 'pool', balance: '300000000000000000000' },
          ],
        ],
      ]),
    },
  })
})

test.for([
  ['total', '1000.5'],
  ['circulating', '900.25'],
] as const)('the %s supply is a plain number of whole tokens', async ([name, expected]) => {
  const response = await gateway.get(`/api/tokens/${TOKEN}/supply/${name}`)
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  expect(await response.text()).toBe(expected)
})

test('an address that is not indexed, and a malformed one, have no number', async () => {
  await expectProblem(await gateway.get(`/api/tokens/${NOT_INDEXED}/supply/total`), 404, 'token_not_found')
  await expectProblem(await gateway.get('/api/tokens/0x12/supply/circulating'), 400, 'invalid_parameter')
})
