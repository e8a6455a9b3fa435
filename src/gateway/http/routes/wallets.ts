import { z } from 'zod'
import { HOLDING_SORTS } from '#domain/holding.ts'
import { amountWithUsd, holdingWithUsd, toUsd } from '#domain/usd.ts'
import { jsonAnswer } from '#gateway/http/answer.ts'
import { CLAIM_CURSOR, decodeCursor, HOLDING_CURSORS, listBody } from '#gateway/http/cursor.ts'
import { addressParameter, pageParameters, wordParameter } from '#gateway/http/parameters.ts'
import { type Route, type RouteDescription, resource } from '#gateway/http/route.ts'
import type { Sources } from '#gateway/http/sources.ts'
import { holdingListSchema, walletClaimListSchema, walletSchema } from '#protocol/schemas/wallets.ts'

const address = addressParameter.describe('Address of the wallet.')
const PAGE = pageParameters({ max: 500, default: 50 })
const RESOURCE = { cacheControl: 'revalidate', keptUntil: (): 'commit' => 'commit' } as const

const WALLET: RouteDescription = {
  id: 'getWallet',
  tag: 'Wallets',
  summary: 'What an account holds, has traded and has created; zeros for an account without indexed activity',
  answer: walletSchema,
  problems: ['data_unavailable'],
}

const HOLDINGS: RouteDescription = {
  id: 'listHoldings',
  tag: 'Wallets',
  summary: 'The tokens that a wallet holds, what they are worth and what they cost',
  answer: holdingListSchema,
  problems: ['data_unavailable'],
}

const CLAIMS: RouteDescription = {
  id: 'listClaims',
  tag: 'Wallets',
  summary: 'Everything that an account can claim as a creator, and the calls that pay it out',
  answer: walletClaimListSchema,
  problems: ['data_unavailable'],
}

export function walletRoutes(sources: Pick<Sources, 'reads' | 'ethUsd' | 'config' | 'chainId'>): readonly Route[] {
  return [walletRoute(sources), holdingsRoute(sources), claimsRoute(sources)]
}

function walletRoute({ reads, ethUsd }: Pick<Sources, 'reads' | 'ethUsd'>): Route {
  const parameters = z.object({ address })
  return resource({ ...RESOURCE, path: '/api/wallets/:address', parameters, description: WALLET }, async asked => {
    const wallet = await reads.wallet(asked.address)
    return jsonAnswer({ ...wallet, valueUsd: toUsd(wallet.valueWeth, ethUsd.ethUsd()) })
  })
}

function holdingsRoute({ reads, ethUsd, chainId }: Pick<Sources, 'reads' | 'ethUsd' | 'chainId'>): Route {
  const parameters = z.object({
    address,
    sort: wordParameter(HOLDING_SORTS)
      .default('value')
      .describe(
        'What the holdings are sorted by, the largest or newest first; holdings without a value come last. If the wallet ' +
          'holds more than 2,000 tokens, `value` and `balance` sort only the 2,000 whose balance changed last.',
      ),
    ...PAGE,
  })
  return resource(
    { ...RESOURCE, path: '/api/wallets/:address/holdings', parameters, description: HOLDINGS },
    async ({ address: wallet, sort, limit, cursor: cursorText }) => {
      const query = { wallet, sort }
      const list = { chainId, query }
      const codec = HOLDING_CURSORS[sort]
      const decoded = decodeCursor(codec, cursorText, list)
      if ('kind' in decoded) return decoded
      const page = await reads.holdings({ ...query, ...decoded, limit })
      const price = ethUsd.ethUsd()
      return jsonAnswer(listBody({ ...page, data: page.data.map(holding => holdingWithUsd(holding, price)) }, codec, list))
    },
  )
}

function claimsRoute({ reads, ethUsd, config, chainId }: Pick<Sources, 'reads' | 'ethUsd' | 'config' | 'chainId'>): Route {
  const parameters = z.object({ address, ...PAGE })
  return resource(
    { ...RESOURCE, path: '/api/wallets/:address/claimable', parameters, description: CLAIMS },
    async ({ address: creator, limit, cursor: cursorText }) => {
      const query = { creator }
      const list = { chainId, query }
      const decoded = decodeCursor(CLAIM_CURSOR, cursorText, list)
      if ('kind' in decoded) return decoded
      const page = await reads.claims({ ...query, ...decoded, limit })
      const price = ethUsd.ethUsd()
      const data = page.data.map(claim => amountWithUsd(claim, price, config.launchpads))
      return jsonAnswer(listBody({ ...page, data }, CLAIM_CURSOR, list))
    },
  )
}
