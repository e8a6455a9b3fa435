import type { Token } from '#client/generated/types.ts'
import { formatShare } from '#console/format/numbers.ts'
import { formatMoment } from '#console/format/time.ts'
import { rateOf, timesPrice } from '#console/format/usd.ts'
import { HexLink } from '#console/parts/hexLink.tsx'
import { Meter } from '#console/parts/meter.tsx'
import { Pair, Pairs } from '#console/parts/pairs.tsx'
import { Money, Unknown } from '#console/parts/value.tsx'
import { ethUsd } from '#console/state/session.ts'

const SAYS = {
  none: 'This token has no bonding curve: it began in its pool.',
  bonding: 'On the bonding curve.',
  completed: 'The curve is complete; the move to a pool is due.',
  migrated: 'Graduated: it trades in a pool.',
} as const

export function GraduationCard({ token: { graduation, market } }: { readonly token: Token }) {
  const { status, percent, raisedWeth, targetWeth, completedAt, migratedAt, poolAddress, txHash } = graduation
  const eth = rateOf(market, ethUsd.state.value.value?.price ?? null)
  return (
    <section class="card" aria-labelledby="graduation-title">
      <header>
        <h2 id="graduation-title">Graduation</h2>
        <strong>{status === 'none' ? null : percent === null ? <Unknown /> : formatShare(percent)}</strong>
      </header>
      <div class="card-body">
        {percent === null || status === 'none' ? null : <Meter percent={percent} done={status !== 'bonding'} />}
        <p class="quiet">{SAYS[status]}</p>
      </div>
      {status === 'none' ? null : (
        <Pairs>
          <Pair name="Raised">
            <Money usd={timesPrice(raisedWeth, eth)} weth={raisedWeth} />
          </Pair>
          <Pair name="Target">
            <Money usd={timesPrice(targetWeth, eth)} weth={targetWeth} />
          </Pair>
          {completedAt === null ? null : (
            <Pair wide name="Completed">
              {formatMoment(completedAt)}
            </Pair>
          )}
          {migratedAt === null ? null : (
            <Pair wide name="Migrated">
              {formatMoment(migratedAt)}
            </Pair>
          )}
          {poolAddress === null ? null : (
            <Pair name="Pool">
              <HexLink hex={poolAddress} of="pool" kind="address" />
            </Pair>
          )}
          {txHash === null ? null : (
            <Pair name="Transaction">
              <HexLink hex={txHash} of="transaction" kind="tx" />
            </Pair>
          )}
        </Pairs>
      )}
    </section>
  )
}
