import { WINDOW_SECONDS } from '#domain/windows.ts'
import { launchpadSchema } from '#resources/launchpads.ts'
import { columnsOf, type View, wholeUnitsOf } from './view.ts'

/** @see `readLaunchpads` */
export const LAUNCHPADS: View = {
  name: 'launchpads',
  meaning: 'Totals of each launchpad that has a token. The 24 hours end at the time of the newest indexed block.',
  item: launchpadSchema,
  columns: [
    ...columnsOf('text', { name: 'totals.launchpad' }),
    ...columnsOf('count', {
      tokens: 'totals.tokens',
      tokens24h: `(select count(*) from token cross join chain_state
        where token.launchpad = totals.launchpad and token.created_at > chain_state.cursor_timestamp - ${WINDOW_SECONDS.h24})`,
      bonding: 'totals.bonding',
      completed: 'totals.completed',
      migrated: 'totals.migrated',
    }),
    ...columnsOf('decimal', { volumeWeth24h: wholeUnitsOf('totals.volume_h24') }),
    ...columnsOf('count', { trades24h: 'totals.trades_h24' }),
  ],
  from: 'launchpad_totals as totals',
  order: 'totals.launchpad',
  filters: { token: null, launchpad: 'totals.launchpad', time: null },
  keys: {},
}
