import type { HealthSample, SeriesName } from '#console/state/healthHistory.ts'

/** Samples that are further apart than this are not joined: the page was hidden, or the service away. */
const GAP_MS = 30_000

interface Box {
  readonly width: number
  readonly height: number
  readonly fromMs: number
  readonly toMs: number
  /** The value at the upper edge; that at the lower one is 0. */
  readonly most: number
}

/** The `d` of an SVG path through the samples that are known. */
export function seriesPath(samples: readonly HealthSample[], name: SeriesName, { width, height, fromMs, toMs, most }: Box): string {
  let path = ''
  let lastMs = Number.NEGATIVE_INFINITY
  for (const sample of samples) {
    const value = sample[name]
    if (value === null) continue
    const x = ((sample.atMs - fromMs) / Math.max(1, toMs - fromMs)) * width
    const y = height - (most === 0 ? 0 : value / most) * height
    path += `${sample.atMs - lastMs > GAP_MS ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(1)}`
    lastMs = sample.atMs
  }
  return path
}
