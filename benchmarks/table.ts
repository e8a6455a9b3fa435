import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { mergeResults } from './macro/fanOut/mergeResults.ts'
import { drawScenarios } from './macro/fanOut/picture.ts'
import { reportGoals, reportScenario } from './macro/fanOut/report.ts'
import type { ScenarioResult } from './macro/fanOut/scenario.ts'
import type { Machine } from './support/machine.ts'
import { writeResults } from './support/writeResults.ts'

const RESULTS = fileURLToPath(new URL('results/', import.meta.url))

const HELP = `npm run bench:table -- [file …]

  Puts the fan-out of several runs of npm run bench into one table, as if it had been one run: the rounds of a scenario are put behind each other.
  Files are results of one machine; default: all of benchmarks/results that hold fan-out and are not made by this command.
`

interface Run {
  readonly begunAt: string
  readonly machine: Machine
  readonly settings: { readonly mergedFrom?: readonly string[]; readonly comparedWith?: string }
  readonly fanOut?: readonly ScenarioResult[] | null
}

const print = (text: string) => void process.stdout.write(`${text}\n`)

const names = process.argv.slice(2)
if (names.includes('--help')) print(HELP)
else await merge(names)

async function merge(given: readonly string[]): Promise<void> {
  const runs = await Promise.all((given.length > 0 ? given : await allResults()).map(readRun))
  const chosen = runs
    .filter(({ fanOut, settings }) => (fanOut ?? []).length > 0 && (given.length > 0 || isOwn(settings)))
    .toSorted((a, b) => (a.begunAt < b.begunAt ? -1 : 1))
  const [first] = chosen
  const machines = new Set(chosen.map(({ machine: { cpu, cores } }) => `${cpu}, ${cores} cores`))
  if (first === undefined || machines.size > 1) {
    process.stderr.write(first === undefined ? HELP : `these are of ${machines.size} machines: ${[...machines].join('; ')}\n`)
    process.exitCode = 1
    return
  }
  for (const { begunAt, machine } of chosen) print(`${begunAt}: load ${machine.loadAverage.toFixed(1)} as it began`)
  const results = mergeResults(chosen.map(({ fanOut }) => fanOut ?? []))
  for (const result of results) print(`\n${reportScenario(result)}`)
  print(reportGoals(results))
  const settings = { mergedFrom: chosen.map(({ begunAt }) => begunAt) }
  const merged = { begunAt: first.begunAt, machine: first.machine, settings, fanOut: results }
  for (const file of await writeResults(merged, drawScenarios(results), new Date())) print(`kept in ${file}`)
}

/** Results of single runs: neither merged results nor comparisons of two checkouts. */
function isOwn({ mergedFrom, comparedWith }: Run['settings']): boolean {
  return mergedFrom === undefined && comparedWith === undefined
}

async function allResults(): Promise<readonly string[]> {
  return (await readdir(RESULTS)).filter(name => name.endsWith('.json')).map(name => path.join(RESULTS, name))
}

async function readRun(file: string): Promise<Run> {
  return JSON.parse(await readFile(file, 'utf8')) as Run
}
