import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { expect, test } from 'vitest'
import { COMPOSE_FOLDER, composeText, FILLED, isOurs, readComposed } from './composeFile.ts'
import { loadDeployed } from './loadDeployed.ts'

/* deploy/compose, as far as it can be checked without a container engine. */

const compose = readComposed(FILLED)
const services = Object.entries(compose.services)
const ours = services.filter(([, service]) => isOurs(service))

test('asks for the variables of .env.example, and for no others', () => {
  const asked = new Set(Array.from(composeText.matchAll(/\$\{(\w+)/g), ([, name]) => name))
  expect(asked).toEqual(new Set(Object.keys(FILLED)))
})

test('has an indexer, its standby and two gateways, with settings that the service accepts', async () => {
  expect(ours.map(([name]) => name)).toEqual(['indexer', 'standby', 'gateway-1', 'gateway-2'])
  for (const [, { environment = {} }] of ours) {
    const config = await loadDeployed(Object.fromEntries(Object.entries(environment).map(([name, value]) => [name, String(value)])))
    expect(config).toMatchObject({
      trustProxy: 1,
      allowedOrigins: ['https://tokenwire.example.com'],
      operatorToken: FILLED['OPERATOR_TOKEN'],
    })
  }
})

// With on-failure the indexers stayed down after the machine was started again: a stop in order ends them with 0.
test('starts every service again after a stop of the machine, as the guide does', async () => {
  expect(services.filter(([, { restart }]) => restart !== 'always' && restart !== 'unless-stopped')).toEqual([])
  const guide = await readFile('docs/operation.md', 'utf8')
  const runs = guide.match(/^docker run (?!--rm).*$/gm) ?? []
  expect(runs.length).toBeGreaterThan(0)
  for (const run of runs) expect(run).toContain(' --restart unless-stopped ')
})

test('names files, volumes and services that exist, and pins every image', async () => {
  for (const [name, { image, volumes = [], depends_on: needs = {} }] of services) {
    expect(image).toMatch(/:v?\d+\.\d+/)
    for (const volume of volumes) {
      const [from = ''] = volume.split(':')
      if (from === './launchpads.json') continue
      if (from.startsWith('.')) expect((await stat(path.join(COMPOSE_FOLDER, from))).size).toBeGreaterThan(0)
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
