import { expect, test } from 'vitest'
import { EXAMPLE_CREATOR, EXAMPLE_TOKEN, exampleStored } from '#test/gateway/descriptions/describedService.ts'
import { addressOf } from '#test/support/snapshots.ts'
import { startGateway } from '../startGateway.ts'
import { expectProblem } from './expectProblem.ts'

const WALLET = addressOf(0xd0)
const TRADERS = `/api/tokens/${EXAMPLE_TOKEN}/traders`

const { traders = [], holdings = [], claims = [], ...stored } = exampleStored()
/** With every list twice as long as the example: its row, and one of another account or token. */
const gateway = await startGateway({
  stored: {
    ...stored,
    traders: [...traders, ...traders.map(trader => ({ ...trader, address: WALLET }))],
    holdings: [...holdings, ...holdings.map(holding => ({ ...holding, token: { ...holding.token, address: addressOf(7) } }))],
    claims: [...claims, ...claims.map(claim => ({ ...claim, token: addressOf(7) }))],
  },
})

function list(path: string) {
  return gateway.list<Record<string, unknown>>(path)
}

test.for([TRADERS, `/api/wallets/${WALLET}/holdings`, `/api/wallets/${EXAMPLE_CREATOR}/claimable`])('pages %s by cursor', async path => {
  const all = await list(path)
  expect(all).toMatchObject({ nextCursor: null, asOfBlock: '456' })
  const first = await list(`${path}?limit=1`)
  const second = await list(`${path}?limit=1&cursor=${first.nextCursor}`)
  expect([...first.data, ...second.data]).toEqual(all.data)
  expect(all.data).toHaveLength(2)
  expect(second.nextCursor).toBeNull()
})

test('values what is held at the present price of ETH, and what was paid at that of its time', async () => {
  const known = { valueWeth: '0.0000617', valueUsd: '0.1851', costUsd: '0.15', unrealizedUsd: '0.0351' }
  expect((await list(TRADERS)).data[0]).toMatchObject(known)
  expect((await list(`/api/wallets/${WALLET}/holdings`)).data[0]).toMatchObject({ ...known, token: { address: EXAMPLE_TOKEN } })
  const response = await gateway.get(`/api/wallets/${stored.wallets?.[0]?.address ?? ''}`)
  expect(await response.json()).toMatchObject({ valueWeth: '0.4', valueUsd: '1200', realizedUsd: '630.4' })
  expect((await list(`/api/wallets/${EXAMPLE_CREATOR}/claimable`)).data[0]).toMatchObject({ token: EXAMPLE_TOKEN, launchpad: 'wow' })
})

test('answers with a wallet that has done nothing for an account that is not known', async () => {
  const response = await gateway.get(`/api/wallets/${addressOf(0xff).toUpperCase().replace('0X', '0x')}`)
  expect(response.status).toBe(200)
  expect(await response.json()).toMatchObject({ address: addressOf(0xff), tokensHeld: 0, trades: 0, firstSeenAt: null })
})

test.for([
  [`${TRADERS}?sort=profit`, 'sort must be one of realized, volume, bought, sold, balance, got "profit"'],
  [`${TRADERS}?limit=501`, 'limit must be an integer from 1 to 500, got "501"'],
  [`/api/wallets/${WALLET}/holdings?sort=name`, 'sort must be one of value, balance, lastChanged, got "name"'],
  ['/api/wallets/0x12', 'address must be an address (0x and 40 hex digits), got "0x12"'],
  ['/api/wallets/vitalik.eth/holdings', 'address must be an address (0x and 40 hex digits), got "vitalik.eth"'],
  [`/api/wallets/${WALLET}x/claimable`, `address must be an address (0x and 40 hex digits), got "${WALLET}x"`],
])('refuses %s', async ([path, detail]) => {
  expect(await expectProblem(await gateway.get(path as string), 400, 'invalid_parameter')).toBe(detail)
})

test('refuses cursors of other lists, sorts, tokens and wallets, and forged ones', async () => {
  const { nextCursor } = await list(`${TRADERS}?limit=1`)
  for (const path of [
    `${TRADERS}?sort=volume&cursor=${nextCursor}`,
    `/api/tokens/${addressOf(1)}/traders?cursor=${nextCursor}`,
    `/api/wallets/${EXAMPLE_TOKEN}/holdings?cursor=${nextCursor}`,
    `/api/wallets/${EXAMPLE_TOKEN}/claimable?cursor=${nextCursor}`,
    `${TRADERS}?cursor=${Buffer.from(JSON.stringify([1, 'x', 'NaN', WALLET])).toString('base64url')}`,
  ]) {
    await expectProblem(await gateway.get(path), 400, 'invalid_parameter')
  }
  await expectProblem(await gateway.get(`/api/tokens/${addressOf(1)}/traders`), 404, 'token_not_found')
})
