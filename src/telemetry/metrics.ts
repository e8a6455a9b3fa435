import { collectDefaultMetrics, Gauge, type Metric, Registry } from 'prom-client'
import type { LatencySnapshot } from './latencyHistogram.ts'
import { COUNTERS, GAUGES, type Labelled, type MetricRow, type MetricsReading } from './metricRows.ts'
import { type AnsweredRequest, createRequestMetrics } from './requestMetrics.ts'

export interface MetricsOptions {
  readonly version: string
  readonly chainId: number
  /** The schema of the index that is served now. With the chain it is a label of every own metric: Prometheus tells indexes apart by it. */
  readonly schema: () => string
  /** Reads everything for one scrape. Must not reject. */
  readonly read: () => Promise<MetricsReading>
}

export interface Metrics {
  readonly contentType: string
  render(): Promise<string>
  observeRequest(request: AnsweredRequest): void
}

/** The metrics in Prometheus' text format, read anew at each scrape. */
export function createMetrics({ version, chainId, schema, read }: MetricsOptions): Metrics {
  const registry = new Registry()
  const registers = [registry]
  /** Those of Node, which are of no index. */
  const ofProcess = new Registry()
  collectDefaultMetrics({ register: ofProcess })
  let reading: MetricsReading | null = null
  /** A metric whose samples are computed at each scrape, in the shape that prom-client's registry reads and has no type for. */
  const addComputed = ([name, help]: Described, type: string, toSamples: (current: MetricsReading) => readonly Sample[]) => {
    const description = { name: `tokenwire_${name}`, help, type }
    const get = async () => ({ ...description, values: reading === null ? [] : toSamples(reading) })
    registry.registerMetric({ ...description, get } as unknown as Metric)
  }

  const help = 'Always 1; the labels tell what runs.'
  new Gauge({ name: 'tokenwire_build_info', help, labelNames: ['version'], registers }).set({ version }, 1)
  for (const row of GAUGES) addComputed(row, 'gauge', current => samplesOf(row, current))
  for (const row of COUNTERS) addComputed(row, 'counter', current => samplesOf(row, current))
  addComputed(COMMIT_TO_DELIVERY, 'histogram', current => bucketsOf(current.commitToDelivery))

  return {
    contentType: registry.contentType,
    async render() {
      reading = await read()
      registry.setDefaultLabels({ chain_id: String(chainId), schema: schema() })
      return `${await ofProcess.metrics()}${await registry.metrics()}`
    },
    observeRequest: createRequestMetrics(registers),
  }
}

interface Sample {
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
  readonly metricName?: string
}

type Described = readonly [name: string, help: string, ...unknown[]]

const COMMIT_TO_DELIVERY: Described = [
  'commit_to_delivery_seconds',
  'Time from the commit of a block to the write of an update to a socket.',
]

function samplesOf([, , read]: MetricRow, reading: MetricsReading): readonly Sample[] {
  const value = read(reading)
  const values: Labelled = typeof value === 'object' && value !== null ? value : [[{}, value]]
  return values.flatMap(([labels, one]) => (one === null || one === undefined ? [] : [{ labels, value: Number(one) }]))
}

/** Deliveries are too many for prom-client's own histogram, so another one counts them and this writes its buckets, made cumulative. */
function bucketsOf({ boundsMs, counts, sumMs }: LatencySnapshot): readonly Sample[] {
  const name = `tokenwire_${COMMIT_TO_DELIVERY[0]}`
  let count = 0
  const buckets = counts.map((inBucket, index) => {
    count += inBucket
    const bound = boundsMs[index]
    return { metricName: `${name}_bucket`, labels: { le: bound === undefined ? '+Inf' : String(bound / 1_000) }, value: count }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels: {}, value: sumMs / 1_000 },
    { metricName: `${name}_count`, labels: {}, value: count },
  ]
}
