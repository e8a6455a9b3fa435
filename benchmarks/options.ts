import { parseArgs } from 'node:util'
import { FULL_SCENARIOS, SHORT_SCENARIOS } from './macro/fanOut/scenarios.ts'
import { MICRO_BENCHMARKS } from './micro/microBenchmarks.ts'

/** What a run is to do. */
export type Options =
  | { readonly type: 'help'; readonly text: string }
  | { readonly type: 'wrong'; readonly text: string }
  | {
      readonly type: 'run'
      readonly micro: boolean
      /** `null`: not asked for. */
      readonly macro: 'short' | 'full' | null
      /** `null`: not asked for. */
      readonly backfill: 'short' | 'full' | null
      /** `null`: not asked for. */
      readonly growth: 'full' | 'small' | null
      readonly only: string
      readonly rounds: number
      readonly check: boolean
    }

const KINDS = ['micro', 'macro', 'backfill', 'growth']
const DEFAULT_ROUNDS = 3
const MAX_ROUNDS = 100

const HELP = `npm run bench                          micro and the short macro, about three minutes
npm run bench -- --full                micro and all of macro, about three quarters of an hour
npm run bench -- micro                 functions and objects, timed by tinybench
npm run bench -- macro                 fan-out: processes and sockets, the gateway beside what could be used instead
npm run bench -- growth                the service over 10 million trades, about 3 min; the first time makes them: 15 min and 20 GB
npm run bench -- micro --only outbox   those whose name contains a text
npm run bench -- backfill              a chain from nothing beside the floor and Ponder, minutes; only when named
npm run bench -- backfill --full       ten times the chain, with everything beside it; the first time it is built
npm run bench:compare -- <git ref>     fan-out of this checkout beside that of another commit
npm run bench:table -- [file …]        the fan-out of several runs as one table

  --check        only check that the micro benchmarks' results are right; times nothing
  --full         macro: all scenarios, thousands of connections, wants a machine to itself and many open files (ulimit -n);
                 backfill: 100,000 trades of 500 tokens
  --rounds <n>   turns of each macro arm, 1 to ${MAX_ROUNDS} (default ${DEFAULT_ROUNDS}); more rounds, narrower ratios
  --small        growth: over 200,000 trades, to try it
  --help         this

micro: ${MICRO_BENCHMARKS.map(({ name }) => name).join(', ')}
macro: ${SHORT_SCENARIOS.map(({ name }) => name).join('; ')}
macro --full: ${FULL_SCENARIOS.map(({ name }) => name).join('; ')}
growth: every route, and commits, over large tables; they are kept in GROWTH_DIR or .cache/growth

benchmarks/README.md says what the figures mean and when not to trust them. Results are kept in benchmarks/results.`

/** Reads the command line. */
export function parseOptions(args: readonly string[]): Options {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        help: { type: 'boolean', default: false },
        check: { type: 'boolean', default: false },
        full: { type: 'boolean', default: false },
        only: { type: 'string', default: '' },
        rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
        small: { type: 'boolean', default: false },
      },
    })
    if (values.help) return { type: 'help', text: HELP }
    const unknown = positionals.find(kind => !KINDS.includes(kind))
    if (unknown !== undefined) return { type: 'wrong', text: `there is no ${unknown}: say micro, macro, backfill or growth` }
    const rounds = Number(values.rounds)
    if (!Number.isInteger(rounds) || rounds < 1 || rounds > MAX_ROUNDS) {
      return { type: 'wrong', text: `--rounds must be an integer from 1 to ${MAX_ROUNDS}` }
    }
    const all = positionals.length === 0
    const scenarios = values.full ? FULL_SCENARIOS : SHORT_SCENARIOS
    const isNamed = (of: readonly { readonly name: string }[]) => of.some(({ name }) => name.includes(values.only))
    const micro = (all || positionals.includes('micro')) && isNamed(MICRO_BENCHMARKS)
    // What is only checked is micro.
    const macro = (all ? !values.check : positionals.includes('macro')) && isNamed(scenarios)
    if (values.only !== '' && !micro && !macro) {
      return { type: 'wrong', text: `nothing that was asked for has ${JSON.stringify(values.only)} in its name` }
    }
    return {
      type: 'run',
      micro,
      macro: macro ? (values.full ? 'full' : 'short') : null,
      backfill: positionals.includes('backfill') ? (values.full ? 'full' : 'short') : null,
      growth: positionals.includes('growth') ? (values.small ? 'small' : 'full') : null,
      only: values.only,
      rounds,
      check: values.check,
    }
  } catch (error) {
    return { type: 'wrong', text: error instanceof Error ? error.message : String(error) }
  }
}
