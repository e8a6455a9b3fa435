/** What an account holds of a token, what it is worth, and what it cost by average price. */
export interface ValuedBalance {
  /** Raw units; `null`: more left than came in by known transfers, so the balance is not known. */
  readonly balance: string | null
  /** Percentage of the total supply, 0 to 100. */
  readonly percent: number | null
  readonly valueWeth: string | null
  readonly valueUsd: string | null
  /** What the whole balance cost; `null`: a part of it came by transfer, or for an unknown price. */
  readonly costWeth: string | null
  readonly costUsd: string | null
  /** Per whole token; `null` also where nothing is held. */
  readonly averageCostWeth: string | null
  readonly averageCostUsd: string | null
  /** The value minus the cost. */
  readonly unrealizedWeth: string | null
  readonly unrealizedUsd: string | null
  /** What its sales brought beyond the cost of the sold tokens; `null`: the cost or price of a part is not known. */
  readonly realizedWeth: string | null
  readonly realizedUsd: string | null
}
