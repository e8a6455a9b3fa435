import type { ComponentChildren } from 'preact'
import { formatCompact } from '#client/decimalText.ts'
import type { IndexerHealth } from '#client/generated/types.ts'
import { formatBytes, formatCount, formatMs, formatShare } from '#console/format/numbers.ts'
import { formatDuration, formatMoment } from '#console/format/time.ts'
import { CompactTable, type TableColumn } from '#console/parts/compactTable.tsx'
import { Meter } from '#console/parts/meter.tsx'
import { Notice } from '#console/parts/notice.tsx'
import { Pair, Pairs } from '#console/parts/pairs.tsx'
import { Known, Unknown } from '#console/parts/value.tsx'
import { health } from '#console/state/session.ts'
import type { ProcessMetrics } from './processMetrics.ts'

const STATUS_TAG = { ok: 'good', syncing: 'fair', degraded: 'fair', stalled: 'bad' } as const

export function HealthCards({ process }: { readonly process: ProcessMetrics | null }) {
  const { value, failure } = health.state.value
  if (value === null) {
    return failure === null ? (
      <div class="health" aria-busy="true" />
    ) : (
      <Notice urgent title="The health could not be loaded" action={{ text: 'Try again', run: () => health.refresh() }}>
        {failure.message}
      </Notice>
    )
  }
  return (
    <div class={`health ${failure === null ? '' : 'outdated'}`} data-testid="health">
      <IndexerCard health={value} />
      <RealtimeCard health={value} />
      <ProcessCard health={value} process={process} />
      <ProvidersCard health={value} />
    </div>
  )
}

function Card({
  title,
  aside,
  children,
}: {
  readonly title: string
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}) {
  const id = `health-${title.toLowerCase()}`
  return (
    <section class="card" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  )
}

function IndexerCard({
  health: { status, reasons, warnings, lagBlocks, lagSeconds, headBlock, confirmedBlock, indexedBlock, backfill, launchpads, reorgs },
}: {
  readonly health: IndexerHealth
}) {
  const count = (block: string | null) => (block === null ? <Unknown /> : formatCount(block))
  return (
    <Card title="Indexer" aside={<span class={`tag ${STATUS_TAG[status]}`}>{status}</span>}>
      {reasons.length + warnings.length === 0 ? null : (
        <ul class="card-body reasons">
          {[...reasons, ...warnings].map(sentence => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      )}
      {backfill === null ? null : (
        <div class="card-body">
          <p>
            Backfill {formatShare(backfill.percent)} · block {formatCount(backfill.currentBlock)} of {formatCount(backfill.toBlock)} ·{' '}
            {backfill.secondsLeft === null ? '' : `${formatDuration(backfill.secondsLeft)} left`}
          </p>
          <Meter percent={backfill.percent} />
          <p class="quiet">
            {formatCompact(backfill.blocksPerSecond)} blocks/s · {formatCompact(backfill.eventsPerSecond)} events/s
          </p>
        </div>
      )}
      <Launchpads launchpads={launchpads} />
      <Pairs>
        <Pair name="Lag, blocks">{lagBlocks === null ? <Unknown /> : formatCompact(lagBlocks)}</Pair>
        <Pair name="Lag, time">{lagSeconds === null ? <Unknown /> : formatMs(lagSeconds * 1_000)}</Pair>
        <Pair name="Head">{count(headBlock)}</Pair>
        <Pair name="Confirmed">{count(confirmedBlock)}</Pair>
        <Pair name="Indexed">{count(indexedBlock)}</Pair>
        <Pair name="Reorgs">{formatCount(reorgs.count)}</Pair>
        <Pair name="Launchpads">
          {launchpads.filter(({ state }) => state === 'joined').length} of {launchpads.length}
        </Pair>
        <Pair wide name="Last reorg">
          <Known text={formatMoment(reorgs.lastAt)} />
          {reorgs.lastDepth === null ? null : <span class="quiet"> · {formatCount(reorgs.lastDepth)} deep</span>}
        </Pair>
      </Pairs>
    </Card>
  )
}

/** The progress of launchpads that are not part of the index yet. */
function Launchpads({ launchpads }: Pick<IndexerHealth, 'launchpads'>) {
  const growing = launchpads.filter(({ state }) => state !== 'joined')
  if (growing.length === 0) return null
  return (
    <ul class="card-body launchpads">
      {growing.map(({ name, state, indexedBlock, blocksLeft, eventsPerSecond, secondsLeft }) => (
        <li key={name}>
          <bdi>{name}</bdi> · {state}
          <p class="quiet">
            {indexedBlock === null ? 'nothing indexed yet' : `up to block ${formatCount(indexedBlock)}`}
            {blocksLeft === null ? '' : ` · ${formatCount(blocksLeft)} blocks left`}
            {eventsPerSecond === null ? '' : ` · ${formatCompact(eventsPerSecond)} events/s`}
            {secondsLeft === null ? '' : ` · ${formatDuration(secondsLeft)} left`}
          </p>
        </li>
      ))}
    </ul>
  )
}

function RealtimeCard({ health: { realtime, actors } }: { readonly health: IndexerHealth }) {
  const { p50, p99 } = realtime.commitToDeliveryMs
  return (
    <Card title="Realtime" aside={<span class="quiet">{formatCompact(realtime.updatesPerSecond)} updates/s</span>}>
      <Pairs>
        <Pair name="WebSockets">{formatCount(realtime.webSocketConnections)}</Pair>
        <Pair name="Event streams">{formatCount(realtime.eventStreams)}</Pair>
        <Pair name="Subscriptions">{formatCount(realtime.subscriptions)}</Pair>
        <Pair name="Actors">{formatCount(actors.total)}</Pair>
        <Pair name="Delivered">{formatCompact(realtime.deliveredTotal)}</Pair>
        <Pair name="Conflated">{formatCompact(realtime.conflatedTotal)}</Pair>
        <Pair wide name="Delivery p50, p99">
          <Known text={formatMs(p50)} />, <Known text={formatMs(p99)} />
        </Pair>
      </Pairs>
    </Card>
  )
}

function ProcessCard({
  health: { uptimeSeconds, version, database },
  process,
}: {
  readonly health: IndexerHealth
  readonly process: ProcessMetrics | null
}) {
  return (
    <Card title="Process" aside={<span class="quiet">{version}</span>}>
      <Pairs>
        <Pair wide name="Loop p50, p99, max">
          <Known text={formatMs(process?.eventLoopP50Ms ?? null)} />, <Known text={formatMs(process?.eventLoopP99Ms ?? null)} />,{' '}
          <Known text={formatMs(process?.eventLoopMaxMs ?? null)} />
        </Pair>
        <Pair name="Up for">{formatDuration(uptimeSeconds)}</Pair>
        <Pair name="Memory">
          <Known text={formatBytes(process?.residentBytes ?? null)} />
        </Pair>
        <Pair name="Heap">
          <Known text={formatBytes(process?.heapBytes ?? null)} />
        </Pair>
        <Pair name="Database">
          <span class={database.ok ? 'up' : 'down'}>{database.ok ? 'ok' : 'away'}</span>
        </Pair>
        <Pair name="Round trip">
          <Known text={formatMs(database.latencyMs)} />
        </Pair>
      </Pairs>
    </Card>
  )
}

const PROVIDER_COLUMNS: readonly TableColumn[] = [
  { name: 'Name', text: true },
  { name: 'State', text: true },
  { name: 'Latency' },
  { name: 'Errors' },
]

function ProvidersCard({ health: { rpc } }: { readonly health: IndexerHealth }) {
  return (
    <Card
      title="Providers"
      aside={
        <span class="quiet">
          {rpc.filter(({ healthy }) => healthy).length} of {rpc.length} healthy
        </span>
      }
    >
      <CompactTable columns={PROVIDER_COLUMNS}>
        {rpc.map(({ name, healthy, latencyMs, errorRate }) => (
          <tr key={name}>
            <td class="text">{name}</td>
            <td class="text">
              <span class={`tag ${healthy ? 'good' : 'bad'}`}>{healthy ? 'healthy' : 'failing'}</span>
            </td>
            <td>
              <Known text={formatMs(latencyMs)} />
            </td>
            <td>{formatShare(errorRate * 100)}</td>
          </tr>
        ))}
      </CompactTable>
    </Card>
  )
}
