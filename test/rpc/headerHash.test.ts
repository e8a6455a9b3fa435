import { expect, it } from 'vitest'
import { startAnvil } from '#devchain/anvil.ts'
import { createDevClient } from '#devchain/client.ts'
import { headerHash, parseHeader } from '#rpc/header.ts'
import { GENESIS_HEADER } from '#test/support/genesisHeader.ts'

it("is Ethereum's first block's", () => {
  expect(headerHash(GENESIS_HEADER)).toBe(GENESIS_HEADER.hash)
  expect(parseHeader(GENESIS_HEADER, 'block 0').isProven).toBe(true)
})

it.each(['timestamp', 'number', 'gasLimit', 'extraData', 'miner', 'difficulty'] as const)('is another one with another %s', field => {
  expect(headerHash({ ...GENESIS_HEADER, [field]: field === 'miner' ? `0x${'01'.repeat(20)}` : '0x12' })).not.toBe(GENESIS_HEADER.hash)
})

it.each([
  ['stateRoot', undefined],
  ['nonce', 7],
  ['timestamp', '12'],
  ['extraData', '0x123'],
])('is not known with %s of %s', (field, value) => {
  expect(headerHash({ ...GENESIS_HEADER, [field]: value })).toBeNull()
})

/** What another implementation hashes: the fields that each fork has added. */
it.each(['berlin', 'london', 'shanghai', 'cancun', 'prague', 'osaka'])(
  'is that of the blocks of a node with the rules of %s',
  async hardfork => {
    const anvil = await startAnvil({ hardfork })
    try {
      const client = createDevClient(anvil.url)
      await client.mine({ blocks: 3 })
      for (const number of ['0x0', '0x1', '0x3']) {
        const block = await client.request({ method: 'eth_getBlockByNumber', params: [number, false] } as never)
        expect(parseHeader(block, `block ${number}`)).toMatchObject({ number: Number(number), isProven: true })
      }
    } finally {
      await anvil.stop()
    }
  },
)
