import { type Benchmark, type Result, takeTurns } from './harness/benchmark.ts'
import { defaultBase, otherCheckout, thisCheckout } from './harness/checkout.ts'
import { describeMachine } from './harness/machine.ts'
import { reportArms } from './harness/report.ts'
import { writeResults } from './harness/writeResults.ts'
import { checkHotPaths, compareHotPaths } from './hotPaths/compareHotPaths.ts'
import { HOT_PATHS } from './hotPaths/hotPaths.ts'
import { runIndexing } from './macro/backfill/runIndexing.ts'
import { growth, SHORT_GROWTH } from './macro/growth/growth.ts'
import { GROWTH_PARTS } from './macro/growth/parts.ts'
import { reportGrowth } from './macro/growth/reportGrowth.ts'
import { FULL, SMALL, YOUNG, YOUNG_SMALL } from './macro/growth/scale.ts'
import { MICRO_BENCHMARKS } from './micro/microBenchmarks.ts'
import { reportMicro } from './micro/reportMicro.ts'
import { type MicroResult, runMicro } from './micro/runMicro.ts'
import { parseOptions, type RunOptions, type Suite } from './options.ts'
import { ALL_SERVER_BENCHMARKS, SERVER_BENCHMARKS } from './servers/serverBenchmarks.ts'

/** Per task. */
const MICRO_SETTINGS = { timeMs: 500, warmupMs: 250 }

const print = (text: string) => void process.stdout.write(`${text}\n`)
/** One line that the next one replaces, on a terminal. */
const progress = (text: string) =>
  void (process.stderr.isTTY && process.stderr.write(`\r\u001b[K${text.slice(0, process.stderr.columns - 1)}`))

/** Runs a suite. @returns what is kept of it */
const RUN: Readonly<Record<Suite, (options: RunOptions) => Promise<unknown>>> = {
  hot: async ({ base, only, minutes, rounds, check }) => {
    const paths = HOT_PATHS.filter(({ name }) => name.includes(only))
    const changed = thisCheckout()
    if (check) {
      await checkHotPaths(paths, changed, name => print(`${name}: right`))
      return null
    }
    const other = otherCheckout(base ?? defaultBase())
    print(`${changed.name} beside ${other.name}\n`)
    const results = await compareHotPaths({ paths, base: other, changed, minutes, rounds, print, onTurn: progress })
    if (results.some(({ arms }) => arms.some(({ failures }) => failures.length > 0))) process.exitCode = 1
    return results
  },
  micro: async ({ only, check }) => {
    const all: MicroResult[] = []
    for (const benchmark of MICRO_BENCHMARKS.filter(({ name }) => name.includes(only))) {
      if (check) {
        for (const task of benchmark.tasks()) task.check()
        print(`${benchmark.name}: right`)
        continue
      }
      const results = await runMicro(benchmark, MICRO_SETTINGS)
      print(reportMicro(benchmark, results))
      all.push(...results)
    }
    return check ? null : all
  },
  servers: ({ only, full, rounds }) => {
    const benchmarks = (full ? ALL_SERVER_BENCHMARKS : SERVER_BENCHMARKS).filter(({ name }) => name.includes(only))
    return runBenchmarks(benchmarks, rounds ?? 3)
  },
  backfill: ({ full }) => runIndexing(full ? 'full' : 'short', print),
  growth: async ({ only, small }) => {
    const scales = small ? { scale: SMALL, young: YOUNG_SMALL } : { scale: FULL, young: YOUNG }
    const result = await growth({ ...SHORT_GROWTH, ...scales, parts: GROWTH_PARTS.filter(part => part.includes(only)) }, print)
    print(reportGrowth(result))
    return result
  },
}

/** Prints each result as soon as it is there. */
async function runBenchmarks(benchmarks: readonly Benchmark[], rounds: number): Promise<readonly Result[]> {
  const results: Result[] = []
  for (const benchmark of benchmarks) {
    const onTurn = ({ round, arm }: { readonly round: number; readonly arm: string }) =>
      progress(`${benchmark.name}, round ${round}: ${arm}`)
    const result = await takeTurns(benchmark, { goesOn: taken => taken < rounds, onTurn })
    progress('')
    print(reportArms(result))
    results.push(result)
  }
  return results
}

async function run(options: RunOptions): Promise<void> {
  const begun = new Date()
  const machine = describeMachine()
  print(`${machine.cpu}, ${machine.cores} cores, load ${machine.loadAverage.toFixed(1)}, Node ${machine.versions['node']}`)
  const results = await RUN[options.suite](options)
  if (results === null) return
  print(`kept in ${await writeResults({ begunAt: begun.toISOString(), machine, options, results }, begun)}`)
}

const options = parseOptions(process.argv.slice(2))
switch (options.type) {
  case 'help':
    print(options.text)
    break
  case 'wrong':
    process.stderr.write(`${options.text} (npm run bench -- --help)\n`)
    process.exitCode = 1
    break
  case 'run': {
    // The processes that a suite stops last do not keep this one alive.
    const alive = setInterval(() => {}, 1_000)
    await run(options)
    clearInterval(alive)
    break
  }
}
