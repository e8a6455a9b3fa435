import { formatCompact } from '#client/decimalText.ts'
import type { ProcessState, ServiceStatus } from '#client/generated/types.ts'
import { formatCount, formatMs } from '#console/format/numbers.ts'
import { formatDuration } from '#console/format/time.ts'
import { CompactTable, type TableColumn } from '#console/parts/compactTable.tsx'
import { Unknown } from '#console/parts/value.tsx'

const STATUS_TAG = { ok: 'good', syncing: 'fair', degraded: 'fair', stalled: 'bad' } as const satisfies Record<ServiceStatus, string>

const COLUMNS: readonly TableColumn[] = [
  { name: 'Process', text: true },
  { name: 'Role', text: true },
  { name: 'Status', text: true },
  { name: 'Blocks by', text: true },
  { name: 'Behind, blocks' },
  { name: 'Connected again', wide: true },
  { name: 'Database' },
  { name: 'Connections' },
  { name: 'Up for', wide: true },
  { name: 'Version', text: true, wide: true },
]

/** All processes that share the database of the process that answers. */
export function Processes({ processes }: { readonly processes: readonly ProcessState[] }) {
  return (
    <section class="card" aria-labelledby="processes-title">
      <header>
        <h2 id="processes-title">
          Processes <span class="quiet">{formatCount(processes.length)}</span>
        </h2>
      </header>
      <CompactTable columns={COLUMNS} label="Processes" testId="processes">
        {processes.map(process => (
          <ProcessRow key={process.id} process={process} />
        ))}
      </CompactTable>
    </section>
  )
}

function ProcessRow({
  process: { url, host, pid, role, standby, status, feed, database, connections, uptimeSeconds, version },
}: {
  readonly process: ProcessState
}) {
  return (
    <tr>
      <td class="text" title={`${host}, process ${pid}`}>
        {url}
      </td>
      <td class="text">{standby ? 'standby' : role}</td>
      <td class="text">
        <span class={`tag ${STATUS_TAG[status]}`}>{status}</span>
      </td>
      <td class="text">
        <span class={feed.connected ? 'up' : 'down'}>{feed.connected ? feed.carrier : `${feed.carrier}, away`}</span>
      </td>
      <td>{feed.behindBlocks === null ? <Unknown /> : formatCompact(feed.behindBlocks)}</td>
      <td class="wide-only">{formatCount(feed.reconnects)}</td>
      <td>{database.ok ? formatMs(database.latencyMs) : <span class="down">away</span>}</td>
      <td>{formatCount(connections)}</td>
      <td class="wide-only">{formatDuration(uptimeSeconds)}</td>
      <td class="text wide-only">{version}</td>
    </tr>
  )
}
