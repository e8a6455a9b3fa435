import { useEffect, useRef } from 'preact/hooks'
import { displayText } from './format/text.ts'
import { MarketView } from './market/marketView.tsx'
import { lazyView } from './parts/lazyView.tsx'
import { Notice } from './parts/notice.tsx'
import { Banner } from './shell/banner.tsx'
import { Header } from './shell/header.tsx'
import { StatsStrip } from './shell/statsStrip.tsx'
import { hrefOf, lastMarket, route } from './state/route.ts'
import { BASE, health, settings } from './state/session.ts'
import { TokenView } from './token/tokenView.tsx'

const WalletView = lazyView(async () => (await import('./wallet/walletView.tsx')).WalletView)
const OperatorView = lazyView(async () => (await import('./operator/operatorView.tsx')).OperatorView)

export function App() {
  const top = useRef<HTMLElement>(null)
  useEffect(() => (top.current === null ? undefined : tellHeight(top.current)), [])
  return (
    <>
      <a class="skip" href="#main" onClick={skip}>
        Skip to content
      </a>
      <header class="shell-top" ref={top}>
        <Header />
        <StatsStrip />
      </header>
      <Banner />
      <View />
      <Foot />
    </>
  )
}

/** Headers of tables stick below the page's own, whose height depends on the width. */
function tellHeight(element: HTMLElement): () => void {
  const observer = new ResizeObserver(() => document.documentElement.style.setProperty('--shell-height', `${element.offsetHeight - 1}px`))
  observer.observe(element)
  return () => observer.disconnect()
}

/** Moves the focus itself: the router would read `#main` as a route. */
function skip(event: Event): void {
  event.preventDefault()
  document.getElementById('main')?.focus()
}

function View() {
  const current = route.value
  const main = useRef<HTMLElement>(null)
  const place = current.view === 'token' || current.view === 'wallet' ? current.address : current.view
  const first = useRef(true)
  useEffect(() => {
    if (!first.current) {
      // The focus stays in an input: the user may be typing a search.
      if (!(document.activeElement instanceof HTMLInputElement)) main.current?.focus({ preventScroll: true })
      scrollTo(0, 0)
    }
    first.current = false
  }, [place])
  return (
    <main id="main" ref={main} tabIndex={-1}>
      {current.view === 'market' ? (
        <MarketView />
      ) : current.view === 'token' ? (
        <TokenView key={current.address} address={current.address} />
      ) : current.view === 'wallet' ? (
        <WalletView key={current.address} address={current.address} />
      ) : current.view === 'operator' ? (
        <OperatorView />
      ) : (
        <Notice heading title="There is nothing here">
          <a href={hrefOf({ view: 'market', query: lastMarket.value })}>To the market</a>
        </Notice>
      )}
    </main>
  )
}

function Foot() {
  const { version, status } = health.state.value.value ?? {}
  return (
    <footer class="foot">
      <span>Tokenwire {version === undefined ? '' : displayText(version, 24)}</span>
      <span>
        <a href={`${BASE}/docs`}>API documentation</a>
      </span>
      <span>
        <a href={`${BASE}/api/indexer/health`}>Status{status === undefined ? '' : `: ${status}`}</a>
      </span>
      <span>
        For agents: <a href={`${BASE}/llms.txt`}>llms.txt</a>
        {settings.value.mcp ? `, MCP at ${BASE}/mcp` : ''}
      </span>
      <span>Confirmed chain state; – stands for what is not known.</span>
      <span>
        Charts by{' '}
        <a href="https://www.tradingview.com/" target="_blank" rel="noreferrer noopener">
          TradingView Lightweight Charts™
        </a>
      </span>
    </footer>
  )
}
