import { parseArgs } from 'node:util'
import { installPeer } from './macro/backfill/installPeers.ts'
import { checkOut } from './macro/fanOut/checkouts.ts'
import { type Arm, measureArm } from './macro/requests/measureArm.ts'
import { type RequestsResult, reportRequests } from './macro/requests/reportRequests.ts'
import { findWrk } from './macro/requests/wrk.ts'
import { describeMachine } from './support/machine.ts'
import { writeResults } from './support/writeResults.ts'

const HELP = `npm run bench:requests [-- <git ref> …]

  Loads the REST routes of npm run dev with wrk (apt-get install wrk), one client with 16 connections, while a block a second is committed.
  Other commits take turns, and nginx with a micro-cache of one second in front of the last one. Ponder's API is measured on the same chain.
  Updates of this checkout are measured without load, with one list asked for as fast as possible, and with 6,300 of 100 lists a second.

  --goals          only what the goals of decision 0039 are about: four kinds of requests, no nginx, no Ponder
  --seconds <n>    of each load (default 5)
  --rounds <n>     turns of each (default 1)
  --updates <n>    times ten seconds of updates without and with each load (default 4; 0: none)
  --threads <n>    GATEWAY_THREADS of the services (default 1)
  --block-ms <n>   between blocks (default 1,000)
`

const ROOT = new URL('..', import.meta.url).pathname
const print = (text: string) => void process.stdout.write(`${text}\n`)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    goals: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '1' },
    updates: { type: 'string', default: '4' },
    threads: { type: 'string', default: '1' },
    'block-ms': { type: 'string', default: '1000' },
  },
})
const wrong: string[] = []
const settings = {
  seconds: whole('seconds', 1),
  updateTurns: whole('updates', 0),
  gatewayThreads: whole('threads', 1),
  blockTimeMs: whole('block-ms', 50),
}
const rounds = whole('rounds', 1)
const { goals } = values
if (values.help) print(HELP)
else if (wrong.length > 0) {
  process.stderr.write(`${wrong.join('\n')}\n\n${HELP}`)
  process.exitCode = 1
} else await run(positionals)

function whole(name: 'seconds' | 'rounds' | 'updates' | 'threads' | 'block-ms', least: number): number {
  const number = Number(values[name])
  if (!Number.isInteger(number) || number < least) wrong.push(`--${name} must be a whole number from ${least}, got ${values[name]}`)
  return number
}

async function run(refs: readonly string[]): Promise<void> {
  const begun = new Date()
  const wrk = findWrk()
  const machine = describeMachine()
  if (!goals) await installPeer('ponder', print)
  const others = refs.map(checkOut)
  print(`${machine.cpu}, ${machine.cores} cores, load ${machine.loadAverage.toFixed(1)}\n`)
  const results: RequestsResult[] = []
  const here: Arm = {
    ...settings,
    name: 'this checkout',
    checkout: ROOT,
    wrk,
    onlyGoals: goals,
    hasMicroCache: false,
    hasPonder: !goals,
    print,
  }
  const there = others.map(
    ({ commit, arms }, index): Arm => ({
      ...here,
      name: `at ${commit.slice(0, 8)}`,
      checkout: arms[1].checkout ?? ROOT,
      updateTurns: 0,
      hasMicroCache: !goals && index === others.length - 1,
      hasPonder: false,
    }),
  )
  const arms = [here, ...there]
  for (let round = 0; round < rounds; round++) {
    // Every second time in reverse, so that what a place in the order costs falls on all of them.
    for (const arm of round % 2 === 0 ? arms : arms.toReversed()) results.push(...(await measureArm(arm)))
  }
  print(reportRequests(results))
  const commits = others.map(({ commit }) => commit)
  const head = { begunAt: begun.toISOString(), machine, settings: { ...settings, refs: commits, rounds, goals } }
  for (const file of await writeResults({ ...head, requests: results }, null, begun)) print(`kept in ${file}`)
}
