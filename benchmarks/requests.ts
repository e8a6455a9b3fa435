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

  --seconds <n>  of each load (default 5)
  --rounds <n>   turns of each (default 1)
`

const ROOT = new URL('..', import.meta.url).pathname
const print = (text: string) => void process.stdout.write(`${text}\n`)

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    help: { type: 'boolean', default: false },
    seconds: { type: 'string', default: '5' },
    rounds: { type: 'string', default: '1' },
  },
})
const seconds = Number(values.seconds)
const rounds = Number(values.rounds)
if (values.help) print(HELP)
else if (!(Number.isInteger(seconds) && seconds > 0 && Number.isInteger(rounds) && rounds > 0)) {
  process.stderr.write(HELP)
  process.exitCode = 1
} else await run(positionals)

async function run(refs: readonly string[]): Promise<void> {
  const begun = new Date()
  const wrk = findWrk()
  const machine = describeMachine()
  await installPeer('ponder', print)
  const others = refs.map(checkOut)
  print(`${machine.cpu}, ${machine.cores} cores, load ${machine.loadAverage.toFixed(1)}\n`)
  const results: RequestsResult[] = []
  const here: Arm = { name: 'this checkout', checkout: ROOT, wrk, seconds, hasMicroCache: false, hasPonder: true, print }
  for (let round = 0; round < rounds; round++) {
    results.push(...(await measureArm(here)))
    for (const [index, { commit, arms }] of others.entries()) {
      const there = { name: `at ${commit.slice(0, 8)}`, checkout: arms[1].checkout ?? ROOT, hasMicroCache: index === others.length - 1 }
      results.push(...(await measureArm({ ...here, ...there, hasPonder: false })))
    }
  }
  print(reportRequests(results))
  const head = { begunAt: begun.toISOString(), machine, settings: { refs: others.map(({ commit }) => commit), seconds, rounds } }
  for (const file of await writeResults({ ...head, requests: results }, null, begun)) print(`kept in ${file}`)
}
