import { Counter, Histogram, type Registry } from 'prom-client'

export interface AnsweredRequest {
  /** `other`: a method that is not allowed. Clients may invent any number of methods, and a label needs few values. */
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'other'
  /** The pattern of the route, such as `/api/tokens/:address`; `null`: no route was reached. */
  readonly route: string | null
  /** 499: the client went away before the answer. */
  readonly status: number
  readonly durationMs: number
}

const REQUEST_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]

/** Counts the answered requests that the returned function is called with, in these registries. */
export function createRequestMetrics(registers: Registry[]): (request: AnsweredRequest) => void {
  const requests = new Counter({
    name: 'tokenwire_http_requests_total',
    help: 'Answered HTTP requests.',
    labelNames: ['method', 'route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'tokenwire_http_request_duration_seconds',
    help: 'Time from a request to its answer.',
    labelNames: ['route'],
    buckets: REQUEST_SECONDS,
    registers,
  })
  return ({ method, route: pattern, status, durationMs }) => {
    const route = pattern ?? 'unknown'
    requests.inc({ method, route, status: String(status) })
    durations.observe({ route }, durationMs / 1_000)
  }
}
