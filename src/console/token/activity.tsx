import { useSignal } from '@preact/signals'
import type { Token, TraderSort } from '#client/generated/types.ts'
import { Tabs, useTabIds } from '#console/parts/tabs.tsx'
import type { TokenDetail } from '#console/state/tokenDetail.ts'
import { TRADER_SORT_NAMES, TraderTable } from './traderTable.tsx'
import { Trades } from './trades.tsx'

const TABS = { trades: 'Trades', traders: 'Top traders' } as const

/** What happens in a token's market: its trades, or who trades. */
export function Activity({ token, detail }: { readonly token: Token; readonly detail: TokenDetail }) {
  const tab = useSignal<keyof typeof TABS>('trades')
  const sort = useSignal<TraderSort>('realized')
  const ids = useTabIds()
  return (
    <section class="card" aria-labelledby="activity-title">
      <h2 id="activity-title" class="sr-only">
        Activity
      </h2>
      <div class="tab-line">
        <Tabs label="Activity" tabs={TABS} ids={ids} value={tab.value} onChange={value => (tab.value = value)} />
        {tab.value === 'traders' ? (
          // For narrow screens, which hide some of the columns whose headers sort.
          <select
            class="field trader-sort"
            aria-label="Sort traders by"
            value={sort.value}
            onChange={event => (sort.value = event.currentTarget.value as TraderSort)}
          >
            {Object.entries(TRADER_SORT_NAMES).map(([name, text]) => (
              <option key={name} value={name}>
                {text}
              </option>
            ))}
          </select>
        ) : null}
      </div>
      <div id={ids.panel} role="tabpanel" aria-labelledby={ids.tab(tab.value)}>
        {tab.value === 'trades' ? <Trades trades={detail.trades.value} token={token} /> : <TraderTable token={token} sort={sort} />}
      </div>
    </section>
  )
}
