import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { parse, parseAllDocuments } from 'yaml'
import { loadDeployed } from './loadDeployed.ts'

/* deploy/kubernetes, compared with the program and the image. */

type Labels = Readonly<Record<string, string>>

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string }
}

interface Container {
  readonly image: string
  readonly env: readonly { readonly name: string; readonly value: string }[]
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[]
  readonly startupProbe: Probe
  readonly livenessProbe: Probe
  readonly readinessProbe?: Probe
  readonly volumeMounts?: readonly { readonly mountPath: string }[]
}

interface Resource {
  readonly kind: string
  readonly metadata: { readonly name: string }
  readonly spec: {
    readonly selector?: { readonly matchLabels?: Labels } & Labels
    readonly podSelector?: { readonly matchLabels: Labels }
    readonly template?: {
      readonly metadata: { readonly labels: Labels }
      readonly spec: {
        readonly restartPolicy?: string
        readonly enableServiceLinks?: boolean
        readonly containers: readonly [Container]
        readonly securityContext: { readonly runAsUser: number }
        readonly terminationGracePeriodSeconds: number
      }
    }
    readonly podMetricsEndpoints?: readonly { readonly port: string; readonly path: string }[]
  }
}

const read = (file: string) => readFile(path.join('deploy/kubernetes', file), 'utf8')
const list = parse(await read('kustomization.yaml')) as { readonly resources: readonly string[] }
const files = await Promise.all([...list.resources, 'monitoring.yaml'].map(read))
const resources = files.flatMap(text => parseAllDocuments(text).map(document => document.toJS() as Resource))
const pods = resources.flatMap(({ metadata, spec }) => (spec?.template === undefined ? [] : [{ name: metadata.name, ...spec.template }]))
const dockerfile = await readFile('Dockerfile', 'utf8')
const shared = parseEnv((await read('settings.env')) + (await read('secret.example.env')).replace('OPERATOR_TOKEN=', 'OPERATOR_TOKEN=word'))

test('has indexers and gateways, with settings that the service accepts', async () => {
  expect(pods.map(({ name }) => name)).toEqual(['indexer', 'gateway'])
  for (const { name, spec } of pods) {
    const own = Object.fromEntries(spec.containers[0].env.map(({ name: variable, value }) => [variable, value]))
    const config = await loadDeployed({ ...(shared as Labels), ...own })
    expect(config).toMatchObject({ role: name, standby: name === 'indexer', trustProxy: 1 })
  }
})

test('runs the image as it is made, and again after any end', () => {
  for (const { spec } of pods) {
    expect(spec.restartPolicy ?? 'Always').toBe('Always')
    expect(spec.enableServiceLinks).toBe(false)
    const [{ image, ports, volumeMounts = [] }] = spec.containers
    expect(image).toBe('tokenwire')
    expect(dockerfile).toContain(`USER ${spec.securityContext.runAsUser}:`)
    expect(dockerfile).toContain(`EXPOSE ${ports[0]?.containerPort}\n`)
    for (const { mountPath } of volumeMounts) expect(dockerfile).toContain(`WORKDIR ${mountPath}\n`)
    // The pause of preStop, the drain and the stop itself, of which docs/operation.md tells.
    expect(spec.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(20 + Number(shared['DRAIN_SECONDS']))
  }
})

test('asks for paths that are there, at ports that are named', async () => {
  const { paths } = JSON.parse(await readFile('docs/api/openapi.json', 'utf8')) as { readonly paths: object }
  const probes = pods.flatMap(({ spec: { containers } }) => {
    const [{ startupProbe, livenessProbe, readinessProbe }] = containers
    return [startupProbe, livenessProbe, readinessProbe].flatMap(probe => (probe === undefined ? [] : [probe.httpGet]))
  })
  const endpoints = resources.flatMap(({ spec }) => spec?.podMetricsEndpoints ?? [])
  expect(endpoints).toHaveLength(1)
  for (const asked of [...probes, ...endpoints]) {
    expect(Object.keys(paths)).toContain(asked.path)
    for (const { spec } of pods) expect(spec.containers[0].ports.map(({ name }) => name)).toContain(asked.port)
  }
})

/* With /readyz, a database that failed over took every gateway out of the Service: clients got the ingress's own 503 or no connection. */
test('takes no gateway out for what all gateways share', () => {
  for (const { spec } of pods) {
    const [{ startupProbe, livenessProbe, readinessProbe }] = spec.containers
    for (const probe of [startupProbe, livenessProbe, readinessProbe]) expect(probe?.httpGet.path ?? '/healthz').toBe('/healthz')
  }
})

test('selects pods that exist', () => {
  const selectors = resources.flatMap(({ kind, metadata, spec }) => {
    const { selector, podSelector } = spec ?? {}
    const labels = selector?.matchLabels ?? podSelector?.matchLabels ?? selector
    return labels === undefined ? [] : [{ kind, name: metadata.name, labels }]
  })
  expect(selectors.map(({ kind }) => kind).toSorted()).toEqual([
    'Deployment',
    'Deployment',
    'NetworkPolicy',
    'NetworkPolicy',
    'PodDisruptionBudget',
    'PodDisruptionBudget',
    'PodMonitor',
    'Service',
  ])
  for (const { kind, name, labels } of selectors) {
    const fitting = pods.filter(({ metadata }) => Object.entries(labels).every(([label, value]) => metadata.labels[label] === value))
    expect([kind, fitting.map(pod => pod.name)]).toEqual([kind, kind === 'PodMonitor' ? ['indexer', 'gateway'] : [name]])
  }
})
