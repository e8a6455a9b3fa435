import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { loadConfig } from '#configuration/loadConfig.ts'
import { SETTINGS } from '#configuration/settings.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'

/* deploy/compose, as far as it can be checked without a container engine. */

interface Service {
  readonly image: string
  readonly environment?: Readonly<Record<string, string | number>>
  readonly volumes?: readonly string[]
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
  readonly healthcheck?: object
}

const FOLDER = path.resolve('deploy/compose')
const text = await readFile(path.join(FOLDER, 'compose.yaml'), 'utf8')
const filled = Object.fromEntries(
  Object.entries(parseEnv(await readFile(path.join(FOLDER, '.env.example'), 'utf8'))).map(([name, value = '']) => [
    name,
    value === '' ? `${name.toLowerCase()}1` : value,
  ]),
)
/** As compose itself fills in variables. */
const compose = parse(
  text.replace(/\$\{(\w+)[^}]*\}/g, (_, name: string) => filled[name] ?? ''),
  { merge: true },
) as {
  readonly services: Readonly<Record<string, Service>>
  readonly volumes: object
}
const services = Object.entries(compose.services)
const ours = services.filter(([, { image }]) => image.startsWith('tokenwire:'))

test('asks for the variables of .env.example, and for no others', () => {
  const asked = new Set(Array.from(text.matchAll(/\$\{(\w+)/g), ([, name]) => name))
  expect(asked).toEqual(new Set(Object.keys(filled)))
})

test('has an indexer, its standby and two gateways, with settings that the service accepts', async () => {
  expect(ours.map(([name]) => name)).toEqual(['indexer', 'standby', 'gateway-1', 'gateway-2'])
  const launchpads = await readFile('docs/launchpads.example.json', 'utf8')
  for (const [, { environment = {} }] of ours) {
    expect(Object.keys(environment).filter(name => !(name in SETTINGS))).toEqual([])
    const readFile = (file: string) => {
      if (file.endsWith('launchpads.json')) return launchpads
      throw Object.assign(new Error(), { code: 'ENOENT' })
    }
    const written = Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)]))
    const config = loadConfig(written, { cwd: '/config', knownAdapters: ADAPTER_KINDS, readFile })
    expect(config).toMatchObject({
      trustProxy: 1,
      allowedOrigins: ['https://tokenwire.example.com'],
      operatorToken: filled['OPERATOR_TOKEN'],
    })
  }
})

test('names files, volumes and services that exist, and pins every image', async () => {
  for (const [name, { image, volumes = [], depends_on: needs = {} }] of services) {
    expect(image).toMatch(/:v?\d+\.\d+/)
    for (const volume of volumes) {
      const [from = ''] = volume.split(':')
      if (from === './launchpads.json') continue
      if (from.startsWith('.')) expect((await stat(path.join(FOLDER, from))).size).toBeGreaterThan(0)
      else expect([name, Object.keys(compose.volumes)]).toEqual([name, expect.arrayContaining([from])])
    }
    for (const [need, { condition }] of Object.entries(needs)) {
      expect(Object.keys(compose.services)).toContain(need)
      // The image of the service has a health check of its own.
      const hasCheck = compose.services[need]?.healthcheck !== undefined || ours.some(([one]) => one === need)
      if (condition === 'service_healthy') expect([need, hasCheck]).toEqual([need, true])
    }
  }
})

test('the proxy and Prometheus ask the processes that exist', async () => {
  const caddy = await readFile('deploy/proxies/Caddyfile', 'utf8')
  const prometheus = await readFile('deploy/watching/prometheus.yml', 'utf8')
  const named = (file: string) => Array.from(file.matchAll(/\b([a-z][a-z\d-]*):3000\b/g), ([, name]) => name)
  expect(named(caddy)).toEqual(['gateway-1', 'gateway-2'])
  expect(named(prometheus)).toEqual(ours.map(([name]) => name))
})
