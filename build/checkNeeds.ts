import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { VERSION } from '#package'
import { DESCRIPTIONS, readAsyncApi, readOpenApi } from '#test/support/describedAnswers.ts'
import { brokenPromises, promisesOf } from '#test/support/promises.ts'
import { ROOT } from './root.ts'

/* `npm run check:needs` says what a change still needs besides code. */

const read = (...names: readonly string[]) => readFileSync(path.join(...names), 'utf8')

const released = read(DESCRIPTIONS, 'promises.txt').trimEnd().split('\n')
const broken = brokenPromises(released, promisesOf(readOpenApi(), readAsyncApi()), read(ROOT, 'CHANGELOG.md'))
const needs: string[] = []
if (broken.length > 0) {
  needs.push(
    'The API no longer keeps what the last release promised. Keep it, or name each line in backticks under "### Breaking" of CHANGELOG.md:',
    ...broken.map(promise => `  \`${promise}\``),
  )
}
if (!existsSync(path.join(ROOT, 'test/store/migrations/releases', VERSION))) {
  needs.push(`Version ${VERSION} has no record of its promises and its database: run \`npm run describe:release\`.`)
}
if (needs.length > 0) {
  process.stderr.write(`${needs.join('\n')}\n`)
  process.exitCode = 1
}
