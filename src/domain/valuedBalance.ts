/** What an account holds of a token, what it is worth, and what it cost by average price. */
export interface ValuedBalance {
  /** Raw units; `null`: transfers show less coming than going, so that they do not tell it. */
  readonly balance: string | null
  /** Of the total supply, 0 to 100. */
  readonly percent: number | null
  readonly valueWeth: string | null
  readonly valueUsd: string | null
  /** What all of it cost; `null`: a part of it came by transfer, or for an unknown price. */
  readonly costWeth: string | null
  readonly costUsd: string | null
  /** Per whole token; `null` also where nothing is held. */
  readonly averageCostWeth: string | null
  readonly averageCostUsd: string | null
  /** The value minus the cost. */
  readonly unrealizedWeth: string | null
  readonly unrealizedUsd: string | null
  /** What its sales brought beyond the cost of what was sold; `null`: of a part of that the cost is not known. */
  readonly realizedWeth: string | null
  readonly realizedUsd: string | null
}
