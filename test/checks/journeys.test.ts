import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'

it.each([
  ['A block', 22],
  ['A request', 9],
  ['An added launchpad', 12],
])('%s enters at most %i files, each from one before it', async (title, most) => {
  const steps = await stepsOf(title)
  expect(steps.length).toBeGreaterThan(4)
  expect(steps.length).toBeLessThanOrEqual(most)
  const files = steps.map(({ file }) => file)
  expect(new Set(files).size).toBe(files.length)
  const objections = await Promise.all(steps.slice(1).map((step, index) => objectionTo(step, files.slice(0, index + 1))))
  expect(objections.filter(one => one !== null)).toEqual([])
})

const { imports: aliases } = JSON.parse(await readFile('package.json', 'utf8')) as { readonly imports: Readonly<Record<string, unknown>> }

/** The files that a file imports, types included, from the root of the package. */
async function importsOf(file: string): Promise<ReadonlySet<string>> {
  const text = await readFile(file, 'utf8')
  const specifiers = [...text.matchAll(/(?:from|import\(|import) ?'([#.][^']+)'/g)].map(([, specifier]) => String(specifier))
  return new Set(specifiers.map(specifier => resolve(file, specifier)))
}

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return path.join(path.dirname(file), specifier)
  for (const [alias, target] of Object.entries(aliases)) {
    if (typeof target !== 'string') continue
    if (alias === specifier) return path.normalize(target)
    if (alias.endsWith('/*') && specifier.startsWith(alias.slice(0, -1)))
      return path.normalize(target.replace('*', specifier.slice(alias.length - 1)))
  }
  return specifier
}

interface Step {
  readonly file: string
  readonly how: 'imported' | 'from' | 'takes from' | 'by' | 'over'
  readonly other: string | null
}

const STEP = /^\d+\. `([^`]+)`(?:, (from|takes from|by|over) `([^`]+)`)?$/gm

async function stepsOf(title: string): Promise<readonly Step[]> {
  const text = await readFile('docs/journeys.md', 'utf8')
  const section = text.split(/^## /m).find(one => one.startsWith(`${title}\n`)) ?? ''
  return [...section.matchAll(STEP)].map(([, file, how, other]) => ({
    file: String(file),
    how: (how ?? 'imported') as Step['how'],
    other: other ?? null,
  }))
}

/** Why the step does not lead to its file; `null`: it does. */
async function objectionTo({ file, how, other }: Step, before: readonly string[]): Promise<string | null> {
  const previous = before.at(-1) ?? ''
  const source = other ?? previous
  const imported = await importsOf(how === 'takes from' || how === 'over' ? file : source)
  switch (how) {
    case 'imported':
    case 'from':
      return before.includes(source) && imported.has(file) ? null : `${source} does not import ${file}`
    case 'takes from':
      return before.includes(source) && imported.has(source) ? null : `${file} does not import ${source}`
    case 'by': {
      const joins = imported.has(file) && before.some(one => one === source || imported.has(one))
      return joins ? null : `${source} does not import ${file} and a file before it`
    }
    case 'over':
      return imported.has(source) && (await importsOf(previous)).has(source) ? null : `${file} and ${previous} do not both import ${source}`
  }
}
