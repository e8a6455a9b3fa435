import { parseArgs } from 'node:util'
import { between, checkOut } from './macro/fanOut/checkouts.ts'
import { reportChanges } from './macro/fanOut/reportChanges.ts'
import { runFanOut } from './macro/fanOut/runFanOut.ts'
import { COMPARED_SCENARIOS } from './macro/fanOut/scenarios.ts'
import { describeMachine } from './support/machine.ts'
import { writeResults } from './support/writeResults.ts'

const DEFAULT_ROUNDS = 7

const HELP = `npm run bench:compare -- <git ref>

  Runs the fan-out of this checkout, with what is not committed, and of another commit in turn, and says what differs by more than two runs
  of the same code do. The other commit is checked out under benchmarks/.cache; git worktree remove takes it away.

  --only <text>  scenarios whose name contains it
  --rounds <n>   turns of each (default ${DEFAULT_ROUNDS}); more rounds find smaller differences

scenarios: ${COMPARED_SCENARIOS.map(({ name }) => name).join('; ')}
`

const print = (text: string) => void process.stdout.write(`${text}\n`)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    only: { type: 'string', default: '' },
    rounds: { type: 'string', default: String(DEFAULT_ROUNDS) },
  },
})
const [ref] = positionals
const rounds = Number(values.rounds)
const scenarios = COMPARED_SCENARIOS.filter(({ name }) => name.includes(values.only))
if (values.help) print(HELP)
else if (ref === undefined || !Number.isInteger(rounds) || rounds < 1 || scenarios.length === 0) {
  process.stderr.write(HELP)
  process.exitCode = 1
} else await compare(ref)

async function compare(ref: string): Promise<void> {
  const begun = new Date()
  const machine = describeMachine()
  const other = checkOut(ref)
  print(
    `${machine.cpu}, ${machine.cores} cores, load ${machine.loadAverage.toFixed(1)}; this checkout beside ${ref} (${other.commit.slice(0, 8)})\n`,
  )
  const results = await runFanOut({ scenarios: scenarios.map(scenario => between(other, scenario)), rounds, print })
  print(reportChanges(results, other))
  const settings = { comparedWith: other.commit, rounds }
  for (const file of await writeResults({ begunAt: begun.toISOString(), machine, settings, fanOut: results }, null, begun))
    print(`kept in ${file}`)
}
