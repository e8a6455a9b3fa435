import { runIndexing } from './macro/backfill/runIndexing.ts'
import { drawScenarios } from './macro/fanOut/picture.ts'
import { runFanOut } from './macro/fanOut/runFanOut.ts'
import type { ScenarioResult } from './macro/fanOut/scenario.ts'
import { FULL_SCENARIOS, SHORT_SCENARIOS } from './macro/fanOut/scenarios.ts'
import { type GrowthResult, growth, SHORT_GROWTH } from './macro/growth/growth.ts'
import { reportGrowth } from './macro/growth/reportGrowth.ts'
import { FULL, SMALL, YOUNG, YOUNG_SMALL } from './macro/growth/scale.ts'
import { MICRO_BENCHMARKS } from './micro/microBenchmarks.ts'
import { reportMicro } from './micro/reportMicro.ts'
import { type MicroResult, runMicro } from './micro/runMicro.ts'
import { type Options, parseOptions } from './options.ts'
import { describeMachine } from './support/machine.ts'
import { writeResults } from './support/writeResults.ts'

/** Per task. */
const MICRO_SETTINGS = { timeMs: 500, warmupMs: 250 }

const print = (text: string) => void process.stdout.write(`${text}\n`)

const options = parseOptions(process.argv.slice(2))
switch (options.type) {
  case 'help':
    print(options.text)
    break
  case 'wrong':
    process.stderr.write(`${options.text} (npm run bench -- --help)\n`)
    process.exitCode = 1
    break
  case 'run':
    await run(options)
    break
}

async function run({
  micro,
  macro,
  backfill,
  growth: growthChoice,
  only,
  rounds,
  check,
}: Extract<Options, { type: 'run' }>): Promise<void> {
  const chosen = micro ? MICRO_BENCHMARKS.filter(({ name }) => name.includes(only)) : []
  if (check) {
    for (const { name, tasks } of chosen) {
      for (const task of tasks()) task.check()
      print(`${name}: right`)
    }
    return
  }
  const begun = new Date()
  const machine = describeMachine()
  print(`${machine.cpu}, ${machine.cores} cores, load ${machine.loadAverage.toFixed(1)}, Node ${machine.versions['node']}\n`)
  const microResults: MicroResult[] = []
  for (const benchmark of chosen) {
    const results = await runMicro(benchmark, MICRO_SETTINGS)
    microResults.push(...results)
    print(reportMicro(benchmark, results))
  }
  const settings = { micro: MICRO_SETTINGS, macro, rounds }
  const head = { begunAt: begun.toISOString(), machine, settings, micro: microResults }
  let fanOut: readonly ScenarioResult[] = []
  if (macro !== null) {
    const all = macro === 'full' ? FULL_SCENARIOS : SHORT_SCENARIOS
    const scenarios = all.filter(({ name }) => name.includes(only))
    const keep = async (results: readonly ScenarioResult[]) => void (await writeResults({ ...head, fanOut: results }, null, begun))
    fanOut = await runFanOut({ scenarios, rounds, print, keep })
    // A failure of another server is a result.
    if (fanOut.some(({ arms }) => arms.some(({ arm, failures }) => arm.startsWith('tokenwire') && failures.length > 0)))
      process.exitCode = 1
  }
  const indexing = backfill === null ? null : await runIndexing(backfill, print)
  let growthResult: GrowthResult | null = null
  if (growthChoice !== null) {
    const { scale, parts } = growthChoice
    const scales = scale === 'full' ? { scale: FULL, young: YOUNG } : { scale: SMALL, young: YOUNG_SMALL }
    growthResult = await growth({ ...SHORT_GROWTH, ...scales, parts }, print)
    print(reportGrowth(growthResult))
  }
  const results = { ...head, fanOut, growth: growthResult, indexing }
  const files = await writeResults(results, fanOut.length === 0 ? null : drawScenarios(fanOut), begun)
  for (const file of files) print(`kept in ${file}`)
}
