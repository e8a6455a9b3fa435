import type { ComponentChildren } from 'preact'
import { useRef } from 'preact/hooks'
import { formatCompact } from '#client/decimalText.ts'
import { formatCount, formatMs } from '#console/format/numbers.ts'
import { timesPrice } from '#console/format/usd.ts'
import { useHiddenEnds } from '#console/parts/hiddenEnds.ts'
import { Known, Money, Unknown } from '#console/parts/value.tsx'
import { chainStats, ethUsd } from '#console/state/session.ts'

/** Statistics of the whole index in one line. */
export function StatsStrip() {
  const stats = chainStats.state.value.value
  const price = ethUsd.state.value.value?.price ?? null
  const strip = useRef<HTMLElement>(null)
  const hidden = useHiddenEnds(strip).value
  return (
    // It scrolls on narrow screens, so the keyboard has to reach it.
    <section
      class="stats-scroll"
      aria-label="Chain statistics"
      ref={strip}
      data-hidden={hidden}
      tabIndex={hidden === 'none' ? undefined : 0}
    >
      <dl class="stats" data-testid="stats">
        <Stat name="Tokens">{stats === null ? <Unknown /> : formatCount(stats.tokens)}</Stat>
        <Stat name="New 24h">{stats === null ? <Unknown /> : formatCount(stats.tokens24h)}</Stat>
        <Stat name="Bonding">{stats === null ? <Unknown /> : formatCount(stats.bonding)}</Stat>
        <Stat name="Migrated">{stats === null ? <Unknown /> : formatCount(stats.migrated)}</Stat>
        <Stat name="Trades 24h">{stats === null ? <Unknown /> : formatCompact(stats.trades24h)}</Stat>
        <Stat name="Traders 24h">{stats === null ? <Unknown /> : formatCompact(stats.traders24h)}</Stat>
        <Stat name="Volume 24h">
          <Money usd={stats?.volumeUsd24h ?? null} weth={stats?.volumeWeth24h ?? null} />
        </Stat>
        <Stat name="Liquidity">
          <Money usd={timesPrice(stats?.liquidityWeth ?? null, price)} weth={stats?.liquidityWeth ?? null} />
        </Stat>
        <Stat name="Block time">
          <Known text={formatMs(stats?.blockTimeMs ?? null)} />
        </Stat>
        <Stat name="Base fee">
          <Gwei value={stats?.baseFeeGwei ?? null} />
        </Stat>
        <Stat name="Chain">{stats === null ? <Unknown /> : stats.chainId}</Stat>
      </dl>
    </section>
  )
}

function Stat({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Gwei({ value }: { readonly value: string | null }) {
  return value === null ? <Unknown /> : <>{formatCompact(value)} gwei</>
}
