import type { ChainContents } from '#benchmarks/chain/launchpadChain.ts'
import type { MeasuredService } from '#benchmarks/service/measuredService.ts'
import type { Token } from '#resources/token.ts'

/** As many as a request may name. */
const TOKENS_PER_REQUEST = 100

/** @throws `Error` when REST shows another number of trades of a token than the chain has */
export async function expectTrades(service: MeasuredService, { tokens, trades }: ChainContents): Promise<void> {
  const expected = new Map(tokens.map((token, index) => [token, trades[index]]))
  for (let at = 0; at < tokens.length; at += TOKENS_PER_REQUEST) {
    const some = tokens.slice(at, at + TOKENS_PER_REQUEST)
    const { data } = (await service.json(`/api/tokens?limit=${TOKENS_PER_REQUEST}&addresses=${some.join()}`)) as {
      readonly data: readonly Token[]
    }
    if (data.length !== some.length) throw new Error(`${data.length} of ${some.length} tokens are indexed`)
    for (const { address, market } of data) {
      if (market.tradeCount !== expected.get(address))
        throw new Error(`${market.tradeCount} trades of ${address}, not ${expected.get(address)}`)
    }
  }
}
