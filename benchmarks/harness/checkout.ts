import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const CACHE = path.join(ROOT, '.cache/bench')

/** A version of the service, built. */
export interface Checkout {
  readonly name: string
  /** The script that starts it. */
  readonly main: string
  /** Its settings, besides those of a benchmark. */
  readonly settings: Readonly<Record<string, string>>
}

/** This checkout, with what is not committed. Built if the build is stale. @param settings of the service, `NAME=value` each */
export function thisCheckout(settings: readonly string[] = []): Checkout {
  const pairs = settings.map(text => [text.slice(0, text.indexOf('=')), text.slice(text.indexOf('=') + 1)] as const)
  return { ...built('this checkout', ROOT), name: ['this checkout', ...settings].join(' '), settings: Object.fromEntries(pairs) }
}

/**
 * Another commit, checked out into an ignored folder (`git worktree remove` takes it away), with its own dependencies if its lockfile
 * differs; or a folder that has been built.
 *
 * @throws `Error` when git does not know the commit, or it has no service that can be built
 */
export function otherCheckout(refOrFolder: string): Checkout {
  if (statSync(refOrFolder, { throwIfNoEntry: false })?.isDirectory()) return built(refOrFolder, path.resolve(refOrFolder))
  const commit = git('rev-parse', '--verify', '--quiet', `${refOrFolder}^{commit}`)
  const folder = path.join(CACHE, `checkout-${commit.slice(0, 12)}`)
  if (!existsSync(folder)) git('worktree', 'add', '--detach', '--force', folder, commit)
  if (!existsSync(path.join(folder, 'node_modules'))) {
    const isSame = readFileSync(path.join(folder, 'package-lock.json')).equals(readFileSync(path.join(ROOT, 'package-lock.json')))
    if (isSame) symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'))
    else execFileSync('npm', ['ci'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  }
  return built(`at ${commit.slice(0, 8)}`, folder)
}

/** The commit that this checkout's changes are compared with: where its branch left `main`; on `main` itself the commit before. */
export function defaultBase(): string {
  const head = git('rev-parse', 'HEAD')
  const origin = git('merge-base', 'HEAD', 'main')
  const hasChanges = git('status', '--porcelain', '--untracked-files=no') !== ''
  return origin === head && !hasChanges ? 'HEAD~1' : origin
}

function built(name: string, folder: string): Checkout {
  execFileSync(process.execPath, ['build/buildService.ts', '--if-stale'], { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] })
  return { name, main: path.join(folder, 'dist/service/main.js'), settings: {} }
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', [...args], { cwd: ROOT, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim()
  } catch (cause) {
    throw new Error(`git ${args.join(' ')} failed`, { cause })
  }
}
