import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import process from 'node:process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/* `npm ci --ignore-scripts` leaves out the Node that packages bring. An older one ended with `ERR_UNKNOWN_FILE_EXTENSION` and a stack. */

const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { readonly scripts: Readonly<Record<string, string>> }
const OLDER = '--no-experimental-strip-types'

/** Those that run other tools, or other scripts. */
const NEEDS_NO_NODE = /^(?:prepare$|check(?!:needs)|format$|build$|test:all$)/

const REBUILD: string = 'run npm rebuild node --ignore-scripts=false, .* or '
const commandOf = (script: string) =>
  (scripts[script] ?? '')
    .replace(/^exec | && .*/g, '')
    .split(' ')
    .slice(1)

test.each([
  ...Object.keys(scripts)
    .filter(script => !NEEDS_NO_NODE.test(script))
    .map(script => [`npm run ${script}`, commandOf(script), REBUILD] as const),
  // The archive of a release has no such packages.
  ['node dist/service/main.js', ['dist/service/main.js'], ''] as const,
])('%s says in one sentence that its Node is too old', async (_, command, rebuild) => {
  const ended = await promisify(execFile)(process.execPath, [OLDER, ...command], { env: { PATH: process.env['PATH'] } }).catch(
    (error: unknown) => error,
  )
  expect(ended).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringMatching(
      new RegExp(`^This needs Node 22\\.18 or newer, and this is Node \\S+\\. To mend it, ${rebuild}put Node .* PATH\n$`),
    ),
  })
})
