import { useEffect, useMemo } from 'preact/hooks'
import { Notice } from '#console/parts/notice.tsx'
import { countBounds } from '#console/state/listBounds.ts'
import { DEFAULT_QUERY, lastMarket, showMarket } from '#console/state/route.ts'
import { client, live, renderQueue, returns } from '#console/state/session.ts'
import { createSparklines } from '#console/state/sparklines.ts'
import { createTokenList } from '#console/state/tokenList.ts'
import { hasMore, MAX_ROWS, movedPlaces } from '#console/state/tokenListState.ts'
import { createWatchedRows } from '#console/state/watchedRows.ts'
import { Filters } from './filters.tsx'
import { LiveStrip } from './liveStrip.tsx'
import { createOnScreen } from './onScreen.ts'
import { TokenTable } from './tokenTable.tsx'

/** From this width on, as in its CSS, the list has a column for sparklines. On narrower screens they are not loaded. */
const LINES_SHOWN = '(min-width: 64rem)'

export function MarketView() {
  const list = useMemo(() => createTokenList({ client, live, query: lastMarket, returns }), [])
  const watched = useMemo(() => createWatchedRows(client, renderQueue), [])
  const lines = useMemo(() => createSparklines(client), [])
  const onScreen = useMemo(() => {
    const lineSpace = matchMedia(LINES_SHOWN)
    return createOnScreen(row => {
      const unwatch = watched.watch(row)
      const leave = lineSpace.matches ? lines.want(row.address) : () => {}
      return () => {
        unwatch()
        leave()
      }
    })
  }, [watched, lines])
  useEffect(() => {
    document.title = 'Market · Tokenwire'
    return () => {
      onScreen.stop()
      watched.stop()
      lines.stop()
      list.stop()
    }
  }, [list, watched, lines, onScreen])
  const rows = list.rows.value
  const state = list.state.value
  const { phase, failure, isLoadingMore } = state
  const query = lastMarket.value
  const isNarrowed =
    query.q !== '' || query.status !== null || query.launchpad !== null || query.creator !== null || countBounds(query.bounds) > 0
  return (
    <>
      <h1 class="sr-only">Market</h1>
      <LiveStrip />
      <Filters
        query={query}
        moved={movedPlaces(state)}
        onMoved={() => list.showMoved()}
        busy={phase === 'loading'}
        isEmpty={rows.length === 0}
        failure={rows.length === 0 ? null : failure}
      />
      {phase === 'failed' && rows.length === 0 ? (
        <Notice urgent title="The list could not be loaded" action={{ text: 'Try again', run: () => list.reload() }}>
          {failure}
        </Notice>
      ) : phase === 'ready' && rows.length === 0 ? (
        <Notice
          title={isNarrowed ? 'No token fits' : 'No tokens are indexed yet'}
          {...(isNarrowed ? { action: { text: 'Show all tokens', run: () => showMarket(DEFAULT_QUERY) } } : {})}
        >
          {isNarrowed
            ? 'Search looks at symbols, names and the beginnings of addresses (0x and two digits).'
            : 'They appear here as soon as they are.'}
        </Notice>
      ) : (
        <>
          <TokenTable rows={rows} query={query} busy={phase !== 'ready'} onScreen={onScreen} lines={lines} onHolding={list.hold} />
          {hasMore(state) ? (
            <div class="more">
              <button type="button" class="button" disabled={isLoadingMore} onClick={() => list.loadMore()}>
                {isLoadingMore ? 'Loading' : 'Show more'}
              </button>
            </div>
          ) : rows.length >= MAX_ROWS ? (
            <p class="more quiet">The first {MAX_ROWS} are shown: search or filter for others.</p>
          ) : null}
        </>
      )}
    </>
  )
}
