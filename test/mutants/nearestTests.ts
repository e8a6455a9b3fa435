import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import packageJson from '../../package.json' with { type: 'json' }

const IMPORT = /^(?:import|export) (?!type )(?:[^'"]*? from )?'([#.][^']+)'/gm
const ALIASES = Object.entries(packageJson.imports).map(
  ([from, to]) => [from.replace('*', ''), to.replace('./', '').replace('*', '')] as const,
)

/** Who imports each file. */
export function readImporters(): ReadonlyMap<string, readonly string[]> {
  const importers = new Map<string, string[]>()
  for (const file of globSync(['src/**/*.ts', 'actors/**/*.ts', 'test/**/*.ts'])) {
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(IMPORT)) {
      const imported = resolve(file, specifier)
      importers.set(imported, [...(importers.get(imported) ?? []), file])
    }
  }
  return importers
}

function resolve(file: string, specifier: string): string {
  if (specifier.startsWith('.')) return path.join(path.dirname(file), specifier)
  const [from = '', to = ''] = ALIASES.find(([from]) => specifier.startsWith(from)) ?? []
  return specifier.replace(from, to)
}

/** The tests that reach a file over the fewest imports, those of its own folder before others. */
export function nearestTests(
  file: string,
  importers: ReadonlyMap<string, readonly string[]>,
  tests: ReadonlySet<string>,
  count: number,
): string[] {
  const hops = new Map([[file, 0]])
  for (const [one, distance] of hops) {
    for (const importer of importers.get(one) ?? []) if (!hops.has(importer)) hops.set(importer, distance + 1)
  }
  const folder = `${path
    .dirname(file)
    .replace('src/', 'test/')
    .replace(/^actors/, 'test/actors')}/`
  const distance = (test: string) => (hops.get(test) ?? 0) - (test.startsWith(folder) ? 2 : 0)
  return [...hops.keys()]
    .filter(one => tests.has(one))
    .toSorted((a, b) => distance(a) - distance(b) || a.localeCompare(b))
    .slice(0, count)
}
