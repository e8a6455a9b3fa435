import { parseArgs } from 'node:util'
import { HOT_PATHS } from './hotPaths/hotPaths.ts'

export const SUITES = ['hot', 'pace', 'webhooks', 'micro', 'servers', 'backfill', 'growth'] as const
export type Suite = (typeof SUITES)[number]

export interface RunOptions {
  readonly suite: Suite
  /** A commit or a folder; `null`: the default. */
  readonly base: string | null
  /** Settings of this checkout's service, `NAME=value` each. */
  readonly set: readonly string[]
  /** Part of the names of what is measured. */
  readonly only: string
  readonly minutes: number
  /** `null`: as many as the suite takes. */
  readonly rounds: number | null
  readonly full: boolean
  readonly small: boolean
  readonly check: boolean
}

/** What the command line asks for. */
export type Options =
  | { readonly type: 'help'; readonly text: string }
  | { readonly type: 'wrong'; readonly text: string }
  | ({ readonly type: 'run' } & RunOptions)

const HELP = `npm run bench                      has this checkout's change made a hot path slower? five minutes
npm run bench -- pace               does the index keep up with a block every 100 ms, or a distant database?
npm run bench -- webhooks           what a hundred webhooks and 1,000 subscriptions to crossings cost a commit; five minutes
npm run bench -- micro              functions and objects, timed by tinybench
npm run bench -- servers           fan-out beside uWebSockets.js, ws and socket.io, and deltas; a quarter of an hour
npm run bench -- backfill          indexes a chain beside only fetching it, Ponder and SQD
npm run bench -- growth            every route over 10 million trades; the first run generates them: 15 min and 20 GB

  --base <ref>     hot: the commit, or the built folder, that this checkout is compared with
                   (default: where the branch left main; on main the commit before)
  --set <N>=<v>    hot: a setting of this checkout's service; with --base . what that setting costs. Can be given several times
  --only <text>    what has the text in its name
  --minutes <n>    hot: the time for everything (default 5); more minutes find smaller changes; pace: the time for each
  --rounds <n>     in place of as many rounds as fit
  --check          hot, micro: only whether the results are right
  --full           servers, backfill: all sizes
  --small          growth: over 200,000 trades, to try it

hot paths: ${HOT_PATHS.map(({ name }) => name).join(', ')}

benchmarks/README.md explains the figures and their limits. Results are stored in benchmarks/results.`

/** Reads the command line. */
export function parseOptions(args: readonly string[]): Options {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        base: { type: 'string' },
        set: { type: 'string', multiple: true, default: [] },
        only: { type: 'string', default: '' },
        minutes: { type: 'string', default: '5' },
        rounds: { type: 'string' },
        check: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        small: { type: 'boolean', default: false },
      },
    })
    if (values.help) return { type: 'help', text: HELP }
    const [word = 'hot', ...more] = positionals
    const suite = SUITES.find(name => name === word)
    if (suite === undefined || more.length > 0) return { type: 'wrong', text: `say one of ${SUITES.join(', ')}` }
    const [minutes, rounds] = [Number(values.minutes), values.rounds === undefined ? null : Number(values.rounds)]
    if (!(minutes > 0)) return { type: 'wrong', text: '--minutes must be a number above 0' }
    if (rounds !== null && !(Number.isInteger(rounds) && rounds > 0))
      return { type: 'wrong', text: '--rounds must be a whole number from 1' }
    const { base = null, set, only, check, full, small } = values
    if (!set.every(text => /^[A-Z_]+=/.test(text))) return { type: 'wrong', text: '--set must be NAME=value' }
    return { type: 'run', suite, base, set, only, minutes, rounds, full, small, check }
  } catch (error) {
    return { type: 'wrong', text: error instanceof Error ? error.message : String(error) }
  }
}
