import { useSignal } from '@preact/signals'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { formatCompact } from '#client/decimalText.ts'
import type { HolderDistribution, HolderSize, Token } from '#client/generated/types.ts'
import { formatShare } from '#console/format/numbers.ts'
import { useRefreshing } from '#console/parts/refreshing.ts'
import { Unknown } from '#console/parts/value.tsx'
import { client } from '#console/state/session.ts'

/** Shortest time between two requests while balances change. */
const REFRESH_MS = 15_000

/** How the token is spread over its holders. Shows nothing while that is not known. */
export function Distribution({ token: { address, sequence, early } }: { readonly token: Token }) {
  const distribution = useSignal<HolderDistribution | null>(null)
  const load = async (signal?: AbortSignal) => {
    const result = await client.distribution(address, { retries: 0, ...(signal !== undefined && { signal }) })
    if (result.ok && signal?.aborted !== true) distribution.value = result.value
  }
  useEffect(() => {
    const ending = new AbortController()
    void load(ending.signal)
    return () => ending.abort()
  }, [address])
  useRefreshing(sequence, REFRESH_MS, () => void load())
  if (distribution.value === null) return null
  const { topTenPercent, creatorPercent, reservePercent, sizes } = distribution.value
  return (
    <div class="distribution" data-testid="distribution">
      <dl class="shares">
        <Share name="Top 10" title="The ten largest, without pools, lockers and burn addresses" percent={topTenPercent} />
        <Share name="Creator" percent={creatorPercent} />
        <Share name="Reserves" title="Pools, curves, lockers and burn addresses" percent={reservePercent} />
      </dl>
      <dl class="shares" data-testid="early">
        <Share name="Snipers" title="Bought at most 5 s after the first trade" percent={early.sniperPercent} />
        <Share name="Bundlers" title="Four or more that bought in one block at the launch" percent={early.bundlerPercent} />
        <Share name="Insiders" title="Supplied by the creator" percent={early.insiderPercent} />
      </dl>
      <div class="spread" aria-hidden="true">
        {sizes.map(({ minPercent, percent }, index) => (
          <Part key={minPercent} className={`size-${index}`} percent={percent} />
        ))}
        <Part className="size-reserve" percent={reservePercent} />
      </div>
      <dl class="sizes">
        {sizes.map((size, index) => (
          <div key={size.minPercent} title={`together ${formatShare(size.percent)} of the supply`}>
            <dt>
              <i class={`size-${index}`} aria-hidden="true" />
              {nameOf(size)}
            </dt>
            <dd>{formatCompact(size.holders)}</dd>
          </div>
        ))}
      </dl>
    </div>
  )
}

const nameOf = ({ minPercent }: HolderSize) => (minPercent === 0 ? 'less' : `≥ ${minPercent}%`)

function Share({ name, title, percent }: { readonly name: string; readonly title?: string; readonly percent: number | null }) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{percent === null ? <Unknown /> : formatShare(percent)}</dd>
    </div>
  )
}

function Part({ className, percent }: { readonly className: string; readonly percent: number }) {
  const part = useRef<HTMLSpanElement>(null)
  useLayoutEffect(() => part.current?.style.setProperty('--part', String(percent)), [percent])
  return <span ref={part} class={className} />
}
