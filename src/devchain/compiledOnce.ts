import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const FOLDER = new URL('../../.cache/solidity/', import.meta.url)
const { version } = createRequire(import.meta.url)('solc/package.json') as { readonly version: string }

/**
 * What the Solidity compiler makes of these inputs, from a file where an earlier run has written it: compiling takes ten seconds of
 * processor time.
 *
 * @param inputs everything that the result depends on, besides the compiler
 */
export function compiledOnce<Result>(inputs: readonly string[], compile: () => Result): Result {
  const name = createHash('sha256')
    .update(JSON.stringify([version, ...inputs]))
    .digest('hex')
  const file = new URL(`${name}.json`, FOLDER)
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as Result
  const result = compile()
  mkdirSync(FOLDER, { recursive: true })
  // Another test file reads either all of it or nothing.
  const incomplete = new URL(`${name}.${process.pid}`, FOLDER)
  writeFileSync(incomplete, JSON.stringify(result))
  renameSync(incomplete, file)
  return result
}
