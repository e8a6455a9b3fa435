import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { setTimeout as pause } from 'node:timers/promises'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'
import { isPassed, type Outcome, type RunResult, rowsOf, summaryOf, tableOf, writeDocument } from './report.ts'
import { type Rig, type Scenario, seconds } from './scenario.ts'
import { chooseScenarios, SCENARIOS } from './scenarios.ts'
import type { ChainKind } from './world/chain.ts'
import { type DatabaseTemplate, prepareDatabase } from './world/databaseServer.ts'
import { World } from './world/world.ts'

/*
 * `npm run test:reliability`. Each scenario runs three times, each time on another kind of chain; fewer runs take the kinds
 * by turns. Environment: `RELIABILITY_ONLY` (part of
 * a name or group), `RELIABILITY_RUNS` (3), `RELIABILITY_CHAIN` (bare, honest or odd, for all runs), `RELIABILITY_WORKERS` (4),
 * `RELIABILITY_FULL=true` (the public durations). A whole run of three writes `docs/reliability.md`.
 */

const KINDS: readonly ChainKind[] = ['bare', 'honest', 'odd']
const LOGS = '.cache/reliability'
/** A fault that lasts 30 s publicly lasts 5 s. */
const SHORTENED = 6
const settings = {
  only: process.env['RELIABILITY_ONLY'] ?? '',
  runs: Number(process.env['RELIABILITY_RUNS'] ?? 3),
  kind: process.env['RELIABILITY_CHAIN'] as ChainKind | undefined,
  workers: Number(process.env['RELIABILITY_WORKERS'] ?? 4),
  full: process.env['RELIABILITY_FULL'] === 'true',
}

async function perform(scenario: Scenario, run: number, template: DatabaseTemplate, folder: string): Promise<RunResult> {
  // A single run meets all kinds, too.
  const kind = settings.kind ?? KINDS[(run + (settings.runs < KINDS.length ? SCENARIOS.indexOf(scenario) : 0)) % KINDS.length] ?? 'bare'
  const closers: (() => Promise<unknown>)[] = []
  const worlds: World[] = []
  const held = new Map<string, string | undefined>()
  const rig: Rig = {
    kind,
    seed: run + 1,
    full: settings.full,
    world: async options => {
      const world = await World.open(template, path.join(folder, `${closers.length}`), kind, options ?? {})
      worlds.push(world)
      closers.push(() => world.close())
      return world
    },
    closing: close => closers.push(close),
    lasting: publicSeconds => pause((publicSeconds * 1_000) / (settings.full ? 1 : SHORTENED)),
    passed: (check, figure) => held.set(check, figure),
  }
  let fault = 'the run ended without deciding it'
  try {
    await scenario.run(rig)
  } catch (error) {
    fault = error instanceof Error ? error.message : String(error)
  }
  if (scenario.checks.some(check => !held.has(check))) keepLogs(`${scenario.name}-${run + 1}`, worlds)
  for (const close of closers.reverse()) await close()
  const outcomes = scenario.checks.map((check): Outcome => {
    return held.has(check) ? { check, passed: true, figure: held.get(check) ?? null } : { check, passed: false, figure: fault }
  })
  return { scenario, run, kind, outcomes }
}

/** Writes what the services of a run that failed have logged. */
function keepLogs(name: string, worlds: readonly World[]): void {
  mkdirSync(LOGS, { recursive: true })
  writeFileSync(path.join(LOGS, `${name.replaceAll(/\W+/g, '-')}.log`), worlds.map(world => world.log()).join('\n'))
}

async function main(): Promise<void> {
  const chosen = chooseScenarios(settings.only)
  execFileSync(process.execPath, ['build/buildService.ts', '--if-stale'], { stdio: 'inherit' })
  const folder = await makeTemporaryFolder()
  const template = await prepareDatabase(folder.path)
  const jobs = chosen.flatMap(scenario => Array.from({ length: settings.runs }, (_, run) => ({ scenario, run })))
  const results: RunResult[] = []
  const work = async (queue: typeof jobs): Promise<void> => {
    for (let job = queue.shift(); job !== undefined; job = queue.shift()) {
      const { scenario, run } = job
      const begun = performance.now()
      const result = await perform(scenario, run, template, path.join(folder.path, `${SCENARIOS.indexOf(scenario)}-${run}`))
      results.push(result)
      const failed = result.outcomes.filter(({ passed }) => !passed)
      process.stdout.write(
        `${failed.length === 0 ? 'pass' : 'FAIL'} ${scenario.name}, run ${run + 1} on the ${result.kind} chain, ${seconds(begun)}\n`,
      )
      for (const { check, figure } of failed) process.stdout.write(`     ${check}: ${figure}\n`)
    }
  }
  const pool = (queue: typeof jobs) => Promise.all(Array.from({ length: settings.workers }, () => work(queue)))
  const begun = performance.now()
  await pool(jobs.filter(({ scenario }) => scenario.alone !== true))
  await pool(jobs.filter(({ scenario }) => scenario.alone === true))
  const rows = rowsOf(results.toSorted((a, b) => SCENARIOS.indexOf(a.scenario) - SCENARIOS.indexOf(b.scenario)))
  process.stdout.write(`\n${tableOf(rows)}\n${summaryOf(rows)}`)
  if (chosen.length === SCENARIOS.length && settings.runs >= 3) writeDocument(rows, { ...settings, took: seconds(begun) })
  if (!rows.every(isPassed)) process.exitCode = 1
}

await main()
