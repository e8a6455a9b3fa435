import type { ComponentChildren } from 'preact'
import { formatCompact } from '#client/decimalText.ts'
import type { Wallet } from '#client/generated/types.ts'
import { formatCount } from '#console/format/numbers.ts'
import { timesPrice } from '#console/format/usd.ts'
import { Age, Gain, Known, Money, Unknown } from '#console/parts/value.tsx'
import { currency, ethUsd } from '#console/state/session.ts'

/** The totals of a wallet; `null` while they are not known. */
export function WalletSummary({ wallet }: { readonly wallet: Wallet | null }) {
  const eth = ethUsd.state.value.value?.price ?? null
  return (
    <dl class="figures" aria-busy={wallet === null} data-testid="wallet">
      <Figure name="Holds">{wallet === null ? <Unknown /> : <Money usd={wallet.valueUsd} weth={wallet.valueWeth} />}</Figure>
      <Figure name="Realized profit" note={profitNote(wallet)}>
        <Gain usd={wallet?.realizedUsd ?? null} weth={wallet?.realizedWeth ?? null} />
      </Figure>
      <Figure name="Volume">
        <Money usd={timesPrice(wallet?.volumeWeth ?? null, eth)} weth={wallet?.volumeWeth ?? null} />
      </Figure>
      <Figure name="Tokens held">
        {wallet?.tokensHeld === null ? 'over 2,000' : <Known text={formatCount(wallet?.tokensHeld ?? null)} />}
      </Figure>
      <Figure name="Trades" note={wallet === null ? null : `of ${formatCompact(wallet.tokensTraded)} tokens`}>
        <Known text={formatCompact(wallet?.trades ?? null)} />
      </Figure>
      <Figure name="Last seen" note={<FirstSeen time={wallet?.firstSeenAt ?? null} />}>
        <Age time={wallet?.lastSeenAt ?? null} />
      </Figure>
    </dl>
  )
}

function FirstSeen({ time }: { readonly time: string | null }) {
  if (time === null) return null
  return (
    <>
      first <Age time={time} /> ago
    </>
  )
}

/** Says how many tokens the profit leaves out, because the sold amounts had come by transfer. */
function profitNote(wallet: Wallet | null): string | null {
  const count = (currency.value === 'usd' ? wallet?.tokensWithoutUsdProfit : wallet?.tokensWithoutWethProfit) ?? 0
  return count === 0 ? null : `without ${formatCompact(count)} of unknown cost`
}

interface FigureProps {
  readonly name: string
  readonly note?: ComponentChildren
  readonly children: ComponentChildren
}

function Figure({ name, note = null, children }: FigureProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
      {note === null ? null : <dd class="figure-note">{note}</dd>}
    </div>
  )
}
