import { type ChildProcess, fork } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { MOCKING, SLOW } from '../../vitest.config.ts'
import { type Mutant, mutantsOf } from './mutantsOf.ts'
import { nearestTests, readImporters } from './nearestTests.ts'
import type { Answer, Killer, Question } from './runner.ts'

/*
 * Changes the source in one small place at a time and looks whether a test of the fast suite fails. A mutant that survives is a gap in the
 * tests, or a change without a meaning. Prints each mutant and a table by room.
 */

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    /** Per room. */
    count: { type: 'string', default: '25' },
    /** Folders or files. */
    room: { type: 'string', multiple: true, default: ['src/sync', 'src/index', 'src/store', 'actors', 'src/gateway', 'src/client'] },
    /** How many test files a mutant meets, the nearest ones. */
    tests: { type: 'string', default: '8' },
  },
})
/** Without the end of a test for so long, a mutant counts as found: it made something wait for ever. */
const HANGS_MS = 90_000

const excluded = new Set([...MOCKING, ...SLOW].flatMap(pattern => globSync(pattern)))
const tests = new Set(globSync('test/**/*.test.ts').filter(file => !excluded.has(file)))
const importers = readImporters()
/** Test files that pass with the source as it is. */
const proven = new Set<string>()
let runner: ChildProcess | null = null

function sample(room: string): readonly Mutant[] {
  return globSync(room.endsWith('.ts') ? room : `${room}/**/*.ts`, { exclude: ['**/migrations/**', '**/generated/**'] })
    .flatMap(file => mutantsOf(file, readFileSync(file, 'utf8'), Number(values.seed)))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, Number(values.count))
}

async function ask(question: Question): Promise<Killer | 'hangs' | null> {
  runner ??= fork(new URL('./runner.ts', import.meta.url), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], detached: true })
  const child = runner
  const { promise, resolve } = Promise.withResolvers<Killer | 'hangs' | null>()
  const hung = () => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    runner = null
    resolve('hangs')
  }
  let timer = setTimeout(hung, HANGS_MS)
  child.on('message', (answer: Answer) => {
    clearTimeout(timer)
    if (answer === 'alive') timer = setTimeout(hung, HANGS_MS)
    else resolve(answer.killer)
  })
  child.send(question)
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    child.removeAllListeners('message')
  }
}

async function killerOf(mutant: Mutant): Promise<Killer | 'hangs' | null> {
  const nearest = nearestTests(mutant.file, importers, tests, Number(values.tests))
  const killer = await ask({ mutant, tests: nearest })
  if (killer === null || killer === 'hangs' || proven.has(killer.file)) return killer
  if ((await ask({ mutant: null, tests: [killer.file] })) === null) {
    proven.add(killer.file)
    return killer
  }
  process.stdout.write(`left out, since it fails without a mutant: ${killer.file}\n`)
  tests.delete(killer.file)
  return killerOf(mutant)
}

const stop = () => runner?.disconnect()

const table: string[] = []
for (const room of values.room) {
  const mutants = sample(room)
  let survivors = 0
  for (const mutant of mutants) {
    const killer = await killerOf(mutant)
    if (killer === null) survivors++
    const change = `${mutant.file}:${mutant.line}  ${mutant.old.replaceAll(/\s+/g, ' ').trim()}  ->  ${mutant.new.trim()}`
    const found = killer === 'hangs' ? killer : `${killer?.file}: ${killer?.test}`
    process.stdout.write(killer === null ? `SURVIVES ${change}\n` : `found    ${change}  (${found})\n`)
  }
  table.push(`| ${room} | ${mutants.length} | ${survivors} |`)
}
process.stdout.write(['', `seed ${values.seed}`, '| room | mutants | survivors |', '|---|---|---|', ...table, ''].join('\n'))
stop()
