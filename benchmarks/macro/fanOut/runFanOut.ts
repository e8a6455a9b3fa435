import { absenceOf } from './arms.ts'
import { createProgress } from './progress.ts'
import { reportGoals, reportScenario } from './report.ts'
import { runScenario, type Scenario, type ScenarioResult } from './scenario.ts'

export interface FanOutRun {
  readonly scenarios: readonly Scenario[]
  readonly rounds: number
  readonly print: (text: string) => void
  /** Called with the results after each scenario, so that an interrupted run keeps them. */
  readonly keep?: (results: readonly ScenarioResult[]) => Promise<void>
}

/** Runs scenarios one after the other and prints each result at once. Arms that are not installed are left out with a warning. */
export async function runFanOut({ scenarios, rounds, print, keep }: FanOutRun): Promise<readonly ScenarioResult[]> {
  const absent = new Map(
    scenarios
      .flatMap(({ arms }) => arms)
      .flatMap(arm => {
        const absence = absenceOf(arm)
        return absence === null ? [] : [[arm.name, absence] as const]
      }),
  )
  for (const [name, absence] of absent) print(`SKIPPED: ${name}: ${absence}`)
  const present = scenarios.map(scenario => ({ ...scenario, arms: scenario.arms.filter(({ name }) => !absent.has(name)) }))
  const turnsOf = (scenario: Scenario) => Math.min(rounds, scenario.maxRounds ?? rounds)
  const progress = createProgress({
    steps: present.reduce((sum, scenario) => sum + scenario.arms.length * turnsOf(scenario), 0),
    write: text => process.stderr.write(text),
    isTerminal: process.stderr.isTTY,
    columns: process.stderr.columns ?? 80,
    now: () => performance.now(),
  })
  const results: ScenarioResult[] = []
  for (const scenario of present) {
    const result = await runScenario(scenario, turnsOf(scenario), step => progress.step(step))
    progress.clear()
    print(reportScenario(result))
    results.push(result)
    await keep?.(results)
  }
  if (results.some(({ goals }) => goals.length > 0)) print(reportGoals(results))
  return results
}
