import { formatCompact, formatPrice, UNKNOWN } from '#client/decimalText.ts'
import { formatChange } from '#console/format/numbers.ts'
import { displayText } from '#console/format/text.ts'
import { formatAge, formatMoment } from '#console/format/time.ts'
import { dustBound } from '#console/format/usd.ts'
import { minuteClock, secondClock } from '#console/state/clock.ts'
import type { PriceMove } from '#console/state/rows.ts'
import { currency } from '#console/state/session.ts'

interface MoneyProps {
  readonly usd: string | null
  readonly weth: string | null
  /** Default `amount`. */
  readonly as?: 'price' | 'amount'
}

/** A value in the chosen currency. */
export function Money({ usd, weth, as = 'amount' }: MoneyProps) {
  const inUsd = currency.value === 'usd'
  const value = inUsd ? usd : weth
  if (value === null) return <Unknown />
  const dust = as === 'price' ? null : dustBound(value, currency.value)
  const text = dust ?? (as === 'price' ? formatPrice(value) : formatCompact(value))
  return (
    <span title={`${value} ${inUsd ? 'USD' : 'ETH'}`}>
      {dust === null ? '' : '<'}
      <span class="unit">{inUsd ? '$' : 'Ξ'}</span>
      {text}
    </span>
  )
}

/** A profit or loss in the chosen currency, with its sign. */
export function Gain({ usd, weth }: Pick<MoneyProps, 'usd' | 'weth'>) {
  const inUsd = currency.value === 'usd'
  const value = inUsd ? usd : weth
  if (value === null) return <Unknown />
  const dust = dustBound(value, currency.value)
  const text = dust ?? formatCompact(value.replace('-', ''))
  const direction = !/[1-9]/.test(text) ? 'quiet' : value.startsWith('-') ? 'down' : 'up'
  return (
    <span class={direction} title={`${value} ${inUsd ? 'USD' : 'ETH'}`}>
      {(dust === null ? '' : '<') + SIGNS[direction] + (inUsd ? '$' : 'Ξ') + text}
    </span>
  )
}

const SIGNS = { up: '+', down: '−', quiet: '' } as const

/** CSS class that animates a move of a price that `Money` shows. An unknown price does not move. */
export function moveClass({ direction, count }: PriceMove, { usd, weth }: Pick<MoneyProps, 'usd' | 'weth'>): string {
  const isKnown = (currency.value === 'usd' ? usd : weth) !== null
  return direction === null || !isKnown ? '' : `moved-${direction}-${count % 2}`
}

/** A price in the currency of the token's own pool, for a currency whose rate is not known. */
export function InCurrency({ amount, symbol }: { readonly amount: string | null; readonly symbol: string | null }) {
  if (amount === null) return <Unknown />
  const unit = displayText(symbol, 12) ?? ''
  return (
    <span title={`${amount} ${unit}`}>
      {formatPrice(amount)} <bdi class="unit">{unit}</bdi>
    </span>
  )
}

/** Shown in place of an unknown value. */
export function Unknown() {
  return (
    <span class="quiet">
      <span aria-hidden="true">{UNKNOWN}</span>
      <span class="sr-only">not known</span>
    </span>
  )
}

/** A formatted text, or the sign for an unknown value. */
export function Known({ text }: { readonly text: string }) {
  return text === UNKNOWN ? <Unknown /> : <>{text}</>
}

export function Change({ percent }: { readonly percent: number | null }) {
  const text = formatChange(percent)
  if (percent === null || text === UNKNOWN) return <Unknown />
  const direction = /[1-9]/.test(text) ? (percent > 0 ? 'up' : 'down') : 'quiet'
  return <span class={direction}>{text}</span>
}

const MINUTE = 60_000

/** The age of a time, which keeps itself up to date. */
export function Age({ time }: { readonly time: string | null }) {
  if (time === null) return <Unknown />
  const isYoung = minuteClock.value - Date.parse(time) < 2 * MINUTE
  return (
    <time dateTime={time} title={formatMoment(time)}>
      {formatAge(time, isYoung ? secondClock.value : Math.max(minuteClock.value, Date.parse(time) + MINUTE))}
    </time>
  )
}
