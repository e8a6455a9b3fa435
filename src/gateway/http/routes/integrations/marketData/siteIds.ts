import { getAddress } from 'viem/utils'
import { z } from 'zod'
import type { Hex } from '#domain/address.ts'
import { addressParameter } from '#resources/parameters.ts'

const ADDRESS_LENGTH = 42

/** An id as explorers write it: an address in its EIP-55 checksum case. A Uniswap v4 pool id has no checksum. */
export function siteId(id: Hex): string {
  return id.length === ADDRESS_LENGTH ? getAddress(id) : id
}

export const pairParameter = z
  .string({ error: 'an address or a pool id (0x and 40 or 64 hex digits)' })
  .regex(/^0x(?:[0-9a-fA-F]{40}|[0-9a-fA-F]{64})$/)
  .toLowerCase()
  .describe('The pair: the address of its pool or curve, or a Uniswap v4 pool id, in any letter case.') as unknown as z.ZodType<Hex, string>

export const assetParameter = addressParameter.describe('Address of the asset, in any letter case.')
