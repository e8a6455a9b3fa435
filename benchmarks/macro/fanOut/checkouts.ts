import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type ArmKind, TOKENWIRE } from './arms.ts'
import type { Scenario } from './scenario.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))

/** The server of another commit as further arms. */
export interface Other {
  readonly commit: string
  readonly arms: readonly [here: ArmKind, there: ArmKind, thereAgain: ArmKind]
}

/**
 * Checks a commit out into an ignored folder, with its own dependencies if its lockfile differs.
 *
 * @throws `Error` when git does not know the commit, or the commit has no server for these scenarios
 */
export function checkOut(ref: string): Other {
  const commit = git('rev-parse', '--verify', '--quiet', `${ref}^{commit}`).trim()
  const folder = path.join(ROOT, 'benchmarks/.cache', `checkout-${commit.slice(0, 12)}`)
  if (!existsSync(folder)) git('worktree', 'add', '--detach', '--force', folder, commit)
  if (!existsSync(path.join(folder, 'benchmarks/servers/serverProcess.ts'))) throw new Error(`${ref} is older than these scenarios`)
  if (!existsSync(path.join(folder, 'node_modules'))) {
    const isSame = readFileSync(path.join(folder, 'package-lock.json')).equals(readFileSync(path.join(ROOT, 'package-lock.json')))
    if (isSame) symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
    else execFileSync('npm', ['ci'], { cwd: folder, stdio: 'inherit' })
  }
  const there = `at ${commit.slice(0, 8)}`
  return {
    commit,
    arms: [
      { ...TOKENWIRE, name: 'this checkout' },
      { ...TOKENWIRE, name: there, checkout: folder },
      { ...TOKENWIRE, name: `${there}, again`, checkout: folder },
    ],
  }
}

/** A scenario with the two checkouts as arms. The difference between the two turns of the other checkout is the noise. */
export function between({ arms }: Other, scenario: Scenario): Scenario {
  return { ...scenario, goals: [], arms, base: arms[1] }
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', [...args], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  } catch (cause) {
    throw new Error(`git ${args.join(' ')} failed`, { cause })
  }
}
