import { FULL_BACKFILL, SHORT_BACKFILL, withBackfillBenchmarks } from './backfill/backfillBenchmarks.ts'
import { growth, reportGrowth } from './growth/growth.ts'
import { FULL, SMALL } from './growth/scale.ts'
import { type Benchmark, type Result, takeTurns } from './harness/benchmark.ts'
import { defaultBase, otherCheckout, thisCheckout } from './harness/checkout.ts'
import { describeMachine } from './harness/machine.ts'
import { reportArms } from './harness/report.ts'
import { writeResults } from './harness/writeResults.ts'
import { checkHotPaths, compareHotPaths } from './hotPaths/compareHotPaths.ts'
import { Course } from './hotPaths/course.ts'
import { HOT_PATHS } from './hotPaths/hotPaths.ts'
import { MICRO_BENCHMARKS } from './micro/microBenchmarks.ts'
import { type MicroResult, reportMicro, runMicro } from './micro/runMicro.ts'
import { parseOptions, type RunOptions, type Suite } from './options.ts'
import { paces } from './pace/pace.ts'
import { ALL_SERVER_BENCHMARKS, SERVER_BENCHMARKS } from './servers/serverBenchmarks.ts'
import { BESIDE_WEBHOOKS } from './webhooks/webhooks.ts'

/** Per task. */
const MICRO_SETTINGS = { timeMs: 500, warmupMs: 250 }

const print = (text: string) => void process.stdout.write(`${text}\n`)
/** One line that the next one replaces, on a terminal. */
const progress = (text: string) =>
  void (process.stderr.isTTY && process.stderr.write(`\r\u001b[K${text.slice(0, process.stderr.columns - 1)}`))

/** Runs a suite. @returns what is kept of it */
const RUN: Readonly<Record<Suite, (options: RunOptions) => Promise<unknown>>> = {
  hot: async ({ base, set, only, minutes, rounds, check }) => {
    const paths = chosen(HOT_PATHS, only)
    const changed = thisCheckout(set)
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
  pace: ({ only, minutes, rounds, set }) => {
    const checkout = thisCheckout(set)
    return Course.run(1, course => {
      const benchmarks = chosen(paces(minutes), only).map(path => ({
        ...path,
        arms: [{ name: checkout.name, measure: () => course.measure(path, checkout) }],
      }))
      return runBenchmarks(benchmarks, rounds ?? 1)
    })
  },
  webhooks: ({ rounds, set }) => {
    const checkout = thisCheckout(set)
    return Course.run(1, course => {
      const arms = BESIDE_WEBHOOKS.map(path => ({ name: path.name, measure: () => course.measure(path, checkout) }))
      return runBenchmarks(
        BESIDE_WEBHOOKS.slice(0, 1).map(({ about, figures }) => ({ name: 'webhooks', about, figures, arms })),
        rounds ?? 10,
      )
    })
  },
  micro: async ({ only, check }) => {
    const all: MicroResult[] = []
    for (const benchmark of chosen(MICRO_BENCHMARKS, only)) {
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
    return runBenchmarks(chosen(full ? ALL_SERVER_BENCHMARKS : SERVER_BENCHMARKS, only), rounds ?? 3)
  },
  backfill: ({ full, rounds }) =>
    withBackfillBenchmarks(full ? FULL_BACKFILL : SHORT_BACKFILL, print, benchmarks => runBenchmarks(benchmarks, rounds ?? 1)),
  growth: async ({ small }) => {
    const result = await growth({ scale: small ? SMALL : FULL, requests: 20_000 }, print)
    print(reportGrowth(result))
    return result
  },
}

/** @throws `RangeError` when nothing has the text in its name */
function chosen<T extends { readonly name: string }>(all: readonly T[], only: string): readonly T[] {
  const some = all.filter(({ name }) => name.includes(only))
  if (some.length === 0) throw new RangeError(`nothing has ${JSON.stringify(only)} in its name: ${all.map(({ name }) => name).join('; ')}`)
  return some
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
