import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { type Condition, healthStatus } from '#gateway/health/readHealth.ts'
import { startTestChain } from '#test/support/chain.ts'
import { useDatabase } from '#test/support/database.ts'
import { findProgram } from '#test/support/findProgram.ts'
import { rpcHealth } from '#test/support/rpcHealth.ts'
import { serviceFolder } from '#test/support/service.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

/* deploy/watching: the alerts, the dashboard and the runbook that belongs to them. */

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly { readonly alert: string; readonly expr: string; readonly annotations: { readonly runbook: string } }[]
  }[]
}
interface Series {
  readonly series: string
  readonly values: string
}
interface RuleTests {
  readonly rule_files: readonly string[]
  readonly tests: readonly { readonly input_series: readonly Series[] }[]
}
interface Dashboard {
  readonly panels: readonly { readonly id: number; readonly title: string; readonly targets: readonly { readonly expr: string }[] }[]
}

const FOLDER = path.resolve('deploy/watching')
const textOf = (file: string) => readFile(path.join(FOLDER, file), 'utf8')
const alerts = (parse(await textOf('alerts.yml')) as Rules).groups.flatMap(({ rules }) => rules)
const queries = (JSON.parse(await textOf('dashboard.json')) as Dashboard).panels.flatMap(({ targets }) => targets.map(({ expr }) => expr))
const runbook = await readFile('docs/runbook.md', 'utf8')
const headings = Array.from(runbook.matchAll(/^### (.*)\n\n(?=\S)/gm), ([, heading = '']) => heading)

const promtool = findProgram({ names: ['promtool'], aptPackage: 'prometheus' })

describe.runIf(promtool !== null)('Prometheus', () => {
  const run = (...args: readonly string[]) => promisify(execFile)(promtool ?? '', args, { cwd: FOLDER })

  // `max(tokenwire_rpc_up) == 0` was silent as long as another chain had a provider.
  test('fires each alert when its cause has lasted, not before, and also beside an index that is well', async () => {
    const tests = await textOf('alerts.test.yml')
    const folder = await makeTemporaryFolder()
    const file = path.join(folder.path, 'alerts.test.yml')
    await writeFile(file, JSON.stringify(besideOthers(parse(tests) as RuleTests)))
    expect((await run('test', 'rules', file)).stdout).toContain('SUCCESS')
    const untested = alerts.filter(({ alert }) => tests.split(`alertname="${alert}",alertstate="firing"`).length !== 3)
    expect(untested).toEqual([])
  })

  test('understands the rules, its configuration and every query of the dashboard', async () => {
    await run('check', 'rules', 'alerts.yml')
    await run('check', 'config', '--syntax-only', 'prometheus.yml')
    const folder = await makeTemporaryFolder()
    const file = path.join(folder.path, 'queries.yml')
    await writeFile(
      file,
      JSON.stringify({ groups: [{ name: 'queries', rules: queries.map((expr, index) => ({ record: `query:${index}`, expr })) }] }),
    )
    expect((await run('check', 'rules', file)).stdout).toContain(`SUCCESS: ${queries.length} rules found`)
  })
})

test('alerts and dashboard use only metrics that a running service has', async () => {
  const database = await useDatabase({ migrated: false })
  const chain = await startTestChain()
  const folder = await serviceFolder(chain)
  const service = await folder.start({ DATABASE_URL: database.url, OPERATOR_TOKEN: 'word' })
  const response = await fetch(`${service.url}/metrics`, { headers: { authorization: 'Bearer word' } })
  const known = new Set(Array.from((await response.text()).matchAll(/^# TYPE (\w+)/gm), ([, name]) => name))
  await service.stop()
  const used = [...alerts.map(({ expr }) => expr), ...queries].flatMap(expr => expr.match(/\b(?:tokenwire|process|nodejs)_\w+/g) ?? [])
  expect(used.length).toBeGreaterThan(50)
  expect([...new Set(used)].filter(name => !known.has(name.replace(/_(?:bucket|sum|count)$/, '')) && !known.has(name))).toEqual([])
})

describe('the runbook', () => {
  test('has a paragraph for each alert, to which the alert leads', () => {
    for (const { alert, annotations } of alerts) {
      expect(headings).toContain(alert)
      expect(annotations.runbook).toBe(`docs/runbook.md#${alert.toLowerCase()}`)
    }
  })

  test('has a paragraph for each reason of the health', async () => {
    const said = new Set([...reasonsOfHealth(), ...(await reasonsOfSources())])
    expect(said.size).toBeGreaterThan(25)
    const patterns = headings
      .filter(heading => heading.startsWith('`'))
      .map(heading => new RegExp(`^${heading.slice(1, -1).split('…').map(escape).join('.*')}$`))
    expect([...said].filter(reason => !patterns.some(pattern => pattern.test(reason)))).toEqual([])
  })
})

/** The tests, with an index in each that stays as the first values of its series are. */
function besideOthers({ tests, ...rest }: RuleTests): RuleTests {
  const beside = ({ series, values }: Series): Series => {
    const [, name = '', labels = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series) ?? []
    const others = labels
      .replace('instance="', 'instance="beside-')
      .split(',')
      .filter(label => label !== '' && !label.startsWith('schema='))
    return { series: `${name}{${[...others, 'schema="beside"'].join(',')}}`, values: values.replace(/^(\S+)x\d+.*$/, '$1x700') }
  }
  return {
    ...rest,
    rule_files: [path.join(FOLDER, 'alerts.yml')],
    tests: tests.map(one => ({
      ...one,
      // Where nothing is scraped, nothing is beside it.
      input_series: JSON.stringify(one).includes('TokenwireNothingScraped')
        ? one.input_series
        : [...one.input_series, ...one.input_series.map(beside)],
    })),
  }
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`)
}

/** What `healthStatus` itself says. */
function reasonsOfHealth(): readonly string[] {
  const sound: Condition = {
    database: null,
    indexer: { indexedBlock: 1, lagBlocks: 0, backfill: null, rpc: [rpcHealth()], stalled: false, reason: null, problems: [] },
    price: null,
    pooled: null,
    feed: { carrier: 'thread', disconnectedMs: 0, replica: null },
  }
  const price = {
    price: '3000',
    currency: 'USD',
    source: 'coinbase',
    fetchedAt: '2026-01-01T00:00:00.000Z',
    ageSeconds: 80,
    stale: true,
  } as const
  const broken: readonly Partial<Condition>[] = [
    ...[null, 'the key was refused'].map(cause => ({ indexer: { ...sound.indexer, rpc: [rpcHealth({ healthy: false, cause })] } })),
    { indexer: { ...sound.indexer, stalled: true } },
    ...(['thread', 'notify', 'nats'] as const).map(carrier => ({ feed: { carrier, disconnectedMs: 9_000, replica: null } })),
    { feed: { ...sound.feed, replica: { inUse: false, behindMs: 1 } } },
    { price: { ...price, disputed: { source: 'coingecko', price: '4000' } } },
    { price: { ...price, stale: false, disputed: null }, pooled: '4000' },
  ]
  return broken.flatMap(one => healthStatus({ ...sound, ...one }).reasons)
}

/** The sentences that the sources have for the state of database and indexer, with `…` for what differs. */
async function reasonsOfSources(): Promise<readonly string[]> {
  /** @param after the text after which the sentences stand */
  const read = async (file: string, pattern: RegExp, after = '') => {
    const text = await readFile(file, 'utf8')
    expect(text).toContain(after)
    return Array.from(text.slice(text.indexOf(after)).matchAll(pattern), ([, , sentence = '']) => sentence.replace(/\$\{[^}]*\}/g, '…'))
  }
  return [
    ...(await read('src/store/connection/databaseErrors.ts', /shown: (['"])(.*?)\1/g)),
    ...(await read('src/sync/health.ts', /(`)((?:no RPC provider|nothing has been|the chain stands)[^`]*)`/g)),
    ...(await read('src/sync/health.ts', /return (['`])(.*?)\1/g, 'function shownOf')).map(text => text.replace(/^…/, 'rpc-1')),
    ...(await read('src/store/replaceBlocks.ts', /(`)(the chain has replaced[^`]*)`/g)),
    ...(await read('src/resources/health.ts', /(`)(\$\{who\} has not answered[^`]*)`/g)).map(text => text.replace('…', 'the indexer')),
  ]
}
