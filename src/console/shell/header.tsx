import { formatCompact, formatPrice } from '#client/decimalText.ts'
import { formatCount } from '#console/format/numbers.ts'
import { formatMoment } from '#console/format/time.ts'
import { AutoIcon, MoonIcon, SunIcon } from '#console/parts/icons.tsx'
import { Segments } from '#console/parts/segments.tsx'
import { Unknown } from '#console/parts/value.tsx'
import { type Currency, chosenCurrency, type Theme, theme } from '#console/state/preferences.ts'
import { hrefOf, lastMarket, route } from '#console/state/route.ts'
import { connection, currency, ethUsd, health } from '#console/state/session.ts'
import { SearchBox } from './searchBox.tsx'

const CONNECTION = {
  connecting: { text: 'Connecting', kind: 'fair', means: 'a connection is being made' },
  live: { text: 'Live', kind: 'good', means: 'updates come over WebSocket' },
  fallback: {
    text: 'Fallback',
    kind: 'fair',
    means: 'WebSocket is blocked; updates come over event streams, or are asked for every few seconds',
  },
  offline: { text: 'Offline', kind: 'bad', means: 'the service cannot be reached' },
} as const

const INDEXER = { ok: 'good', syncing: 'fair', degraded: 'fair', stalled: 'bad' } as const

const NEXT_THEME: Readonly<Record<Theme, Theme>> = { system: 'light', light: 'dark', dark: 'system' }
const THEME_NAME: Readonly<Record<Theme, string>> = { system: 'as the system', light: 'light', dark: 'dark' }

export function Header() {
  const { view } = route.value
  return (
    <div class="bar" data-view={view}>
      <a class="brand" href={hrefOf({ view: 'market', query: lastMarket.value })} aria-label="Tokenwire, to the market">
        <Mark />
        <span>Tokenwire</span>
      </a>
      <nav class="nav" aria-label="Views">
        <a
          href={hrefOf({ view: 'market', query: lastMarket.value })}
          aria-current={view === 'market' ? 'page' : view === 'token' || view === 'wallet' ? 'true' : undefined}
        >
          Market
        </a>
        <a href={hrefOf({ view: 'operator' })} aria-current={view === 'operator' ? 'page' : undefined}>
          Operator
        </a>
      </nav>
      <SearchBox />
      <div class="status">
        <dl>
          <EthPrice />
          <Indexer />
          <Connection />
        </dl>
      </div>
      <div class="tools">
        <Segments<Currency>
          small
          label="Currency"
          options={{ usd: 'USD', weth: 'ETH' }}
          value={currency.value}
          onChange={value => (chosenCurrency.value = value)}
        />
        <ThemeButton />
      </div>
    </div>
  )
}

function EthPrice() {
  const price = ethUsd.state.value.value
  const title =
    price === null ? 'no price of ETH is known' : `${price.source}, ${formatMoment(price.fetchedAt)}${price.stale ? ', stale' : ''}`
  return (
    <div title={title}>
      <dt>ETH</dt>
      <dd class={`eth ${price?.stale === true ? 'warn' : ''}`}>
        {price === null ? <Unknown /> : <span data-testid="eth-usd">${formatPrice(price.price)}</span>}
        {price?.source === 'simulated' ? <span class="simulated"> simulated</span> : null}
        {price?.stale === true ? <span class="sr-only"> stale</span> : null}
      </dd>
    </div>
  )
}

function Indexer() {
  const { value, failure } = health.state.value
  const status = value === null || failure !== null ? null : value.status
  return (
    <div title={value === null ? 'the state of the indexer is not known' : value.reasons.join('; ') || `indexer ${value.status}`}>
      <dt>Block</dt>
      <dd>
        <span class={`dot ${status === null ? '' : INDEXER[status]}`} aria-hidden="true" />
        <span class="block" data-testid="indexed-block">
          {value?.indexedBlock === null || value === null ? <Unknown /> : formatCount(value.indexedBlock)}
        </span>
        {status === 'ok' ? (
          <span class="sr-only"> indexer ok</span>
        ) : (
          <span data-testid="indexer-status"> {status ?? (value === null ? '' : 'not current')}</span>
        )}
        {status !== null && status !== 'ok' && (value?.lagBlocks ?? 0) > 0 ? (
          <span class="quiet"> −{formatCompact(value?.lagBlocks ?? null)}</span>
        ) : null}
      </dd>
    </div>
  )
}

function Connection() {
  const { text, kind, means } = CONNECTION[connection.value]
  return (
    <div title={means}>
      <dt class="sr-only">Connection</dt>
      <dd class="state">
        <span role="status" data-testid="connection" data-state={connection.value}>
          <span class={`dot ${kind}`} aria-hidden="true" />
          {text}
        </span>
      </dd>
    </div>
  )
}

function ThemeButton() {
  const label = `Theme: ${THEME_NAME[theme.value]}. Change to ${THEME_NAME[NEXT_THEME[theme.value]]}`
  return (
    <button type="button" class="icon-button" title={label} aria-label={label} onClick={() => (theme.value = NEXT_THEME[theme.value])}>
      {theme.value === 'system' ? <AutoIcon /> : theme.value === 'light' ? <SunIcon /> : <MoonIcon />}
    </button>
  )
}

function Mark() {
  return (
    <svg viewBox="0 0 20 20" aria-hidden="true" focusable="false">
      <rect class="mark-ground" width="20" height="20" rx="4.5" />
      <path class="mark-line" d="M3.5 11h3l2-5 3.5 9 2-6.5.9 2.5h1.6" />
    </svg>
  )
}
