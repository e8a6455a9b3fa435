/**
 * What an account's balance of a token cost by average price, and what its sales brought beyond that, in one currency's smallest units.
 * `null`: not known.
 */
export interface CostBasis {
  readonly cost: bigint | null
  readonly realized: bigint | null
}

/** @param paid `null`: not known */
export function afterBuy({ cost, realized }: CostBasis, paid: bigint | null): CostBasis {
  return { cost: cost === null || paid === null ? null : cost + paid, realized }
}

/**
 * The sold amount takes its share of the cost with it, rounded down.
 *
 * @param held the balance before
 * @param received `null`: not known
 */
export function afterSale({ cost, realized }: CostBasis, held: bigint, amount: bigint, received: bigint | null): CostBasis {
  const share = shareOf(cost, held, amount)
  const profit = saleProfit(cost, held, amount, received)
  return {
    cost: cost === null || share === null ? null : cost - share,
    realized: realized === null || profit === null ? null : realized + profit,
  }
}

/** What one sale brings beyond its share of the cost; parameters as of `afterSale`. `null`: not known. */
export function saleProfit(cost: bigint | null, held: bigint, amount: bigint, received: bigint | null): bigint | null {
  const share = shareOf(cost, held, amount)
  return share === null || received === null ? null : received - share
}

/** Tokens that were bought elsewhere, or were a gift, make the cost of the whole balance unknown. */
export function afterTransferIn({ realized }: CostBasis): CostBasis {
  return { cost: null, realized }
}

/** The sent amount takes its share of the cost with it, and earns nothing. */
export function afterTransferOut({ cost, realized }: CostBasis, held: bigint, amount: bigint): CostBasis {
  const share = shareOf(cost, held, amount)
  return { cost: cost === null || share === null ? null : cost - share, realized }
}

/** An empty balance cost nothing: the next purchase starts a new average. */
export function atBalance(basis: CostBasis, held: bigint): CostBasis {
  return held === 0n ? { ...basis, cost: 0n } : basis
}

/** `null`: the cost is not known, or more leaves than was held, so that a part of it came in an unknown way. */
function shareOf(cost: bigint | null, held: bigint, amount: bigint): bigint | null {
  if (amount === 0n) return 0n
  return cost === null || amount > held ? null : (cost * amount) / held
}
