import { parseArgs } from 'node:util'
import { FULL_SCENARIOS, SHORT_SCENARIOS } from './macro/fanOut/scenarios.ts'
import { GROWTH_PARTS, type GrowthPart } from './macro/growth/parts.ts'
import { MICRO_BENCHMARKS } from './micro/microBenchmarks.ts'

/** What the command line asks for. */
export type Options =
  | { readonly type: 'help'; readonly text: string }
  | { readonly type: 'wrong'; readonly text: string }
  | {
      readonly type: 'run'
      readonly micro: boolean
      /** `null`: not requested. */
      readonly macro: 'short' | 'full' | null
      /** `null`: not requested. */
      readonly backfill: 'short' | 'full' | null
      /** `null`: not requested. */
      readonly growth: { readonly scale: 'full' | 'small'; readonly parts: readonly GrowthPart[] } | null
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
npm run bench -- macro                 fan-out: processes and sockets, the gateway compared with other servers
npm run bench -- growth                the service over 10 million trades, about 10 min; the first run generates them: 15 min and 20 GB
npm run bench -- growth --only requests  a part of it
npm run bench -- micro --only outbox   benchmarks whose name contains the text
npm run bench -- backfill              indexes a chain, compared with the floor, Ponder, Envio and SQD; some minutes
npm run bench -- backfill --full       ten times the chain, with live latency and commits; the first run generates the chain
npm run bench:compare -- <git ref>     fan-out of this checkout compared with another commit
npm run bench:table -- [file …]        the fan-out of several runs as one table

  --check        checks the results of the micro benchmarks without timing them
  --full         macro: all scenarios, thousands of connections; needs an idle machine and many open files (ulimit -n);
                 backfill: 100,000 trades of 500 tokens
  --rounds <n>   turns of each macro arm, 1 to ${MAX_ROUNDS} (default ${DEFAULT_ROUNDS}); more rounds give narrower intervals
  --small        growth: over 200,000 trades, to try it
  --help         shows this text

micro: ${MICRO_BENCHMARKS.map(({ name }) => name).join(', ')}
macro: ${SHORT_SCENARIOS.map(({ name }) => name).join('; ')}
macro --full: ${FULL_SCENARIOS.map(({ name }) => name).join('; ')}
growth: ${GROWTH_PARTS.join(', ')}; every route and commits over large tables, which are kept in GROWTH_DIR or .cache/growth

benchmarks/README.md explains the figures and their limits. Results are stored in benchmarks/results.`

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
    // `--check` runs the micro benchmarks only.
    const macro = (all ? !values.check : positionals.includes('macro')) && isNamed(scenarios)
    const parts = positionals.includes('growth') ? GROWTH_PARTS.filter(part => part.includes(values.only)) : []
    if (values.only !== '' && !micro && !macro && parts.length === 0) {
      return { type: 'wrong', text: `nothing that was asked for has ${JSON.stringify(values.only)} in its name` }
    }
    return {
      type: 'run',
      micro,
      macro: macro ? (values.full ? 'full' : 'short') : null,
      backfill: positionals.includes('backfill') ? (values.full ? 'full' : 'short') : null,
      growth: parts.length === 0 ? null : { scale: values.small ? 'small' : 'full', parts },
      only: values.only,
      rounds,
      check: values.check,
    }
  } catch (error) {
    return { type: 'wrong', text: error instanceof Error ? error.message : String(error) }
  }
}
