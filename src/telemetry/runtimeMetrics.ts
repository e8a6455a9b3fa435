import { collectDefaultMetrics, Registry } from 'prom-client'
import type { MetricsData } from './requestMetrics.ts'

/** Node's own metrics: of the process, and of the thread that calls this. @returns a function that reads them */
export function createRuntimeMetrics(): () => Promise<MetricsData> {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return () => registry.getMetricsAsJSON()
}
