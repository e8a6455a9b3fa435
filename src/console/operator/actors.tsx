import { useSignal } from '@preact/signals'
import { formatCompact } from '#client/decimalText.ts'
import type { ActorSort, ActorState, ActorStateName } from '#client/generated/types.ts'
import { formatBytes, formatCount } from '#console/format/numbers.ts'
import { CompactTable, type TableColumn } from '#console/parts/compactTable.tsx'
import { Notice } from '#console/parts/notice.tsx'
import { Age, Known, Unknown } from '#console/parts/value.tsx'
import type { Operator } from '#console/state/operator.ts'
import { ActorDetail } from './actorDetail.tsx'
import { ActorName } from './actorName.tsx'

const STATES = { activating: 'fair', live: 'good', resyncing: 'fair', passivated: '' } as const satisfies Record<ActorStateName, string>

interface ActorsProps {
  readonly operator: Operator
  /** Whether an operator token was entered. */
  readonly canForget: boolean
}

export function Actors({ operator, canForget }: ActorsProps) {
  const text = useSignal('')
  const wanted = text.value.trim().toLowerCase()
  const all = operator.actors.value
  const symbols = operator.symbols.value
  const shown = all?.filter(({ token }) => token.includes(wanted) || symbols.get(token)?.toLowerCase().includes(wanted)) ?? null
  return (
    <div class="actors">
      <section class="card" aria-labelledby="actors-title">
        <header class="actors-head">
          <h2 id="actors-title">Actors {all === null ? '' : <span class="quiet">{formatCount(all.length)}</span>}</h2>
          <input
            class="field"
            type="search"
            placeholder="Address or symbol"
            aria-label="Filter actors by address or symbol"
            spellcheck={false}
            value={text.value}
            onInput={event => (text.value = event.currentTarget.value)}
          />
          <select
            class="field"
            aria-label="State of actors"
            value={operator.state.value ?? ''}
            onChange={event => (operator.state.value = (event.currentTarget.value || null) as ActorStateName | null)}
          >
            <option value="">All states</option>
            {Object.keys(STATES).map(state => (
              <option key={state} value={state}>
                {state}
              </option>
            ))}
          </select>
          {canForget ? (
            <button type="button" class="button" onClick={() => operator.setToken(null)}>
              Forget token
            </button>
          ) : null}
        </header>
        {operator.failure.value === null || shown === null ? null : (
          <p class="card-body warn" role="status">
            Not up to date: {operator.failure.value}
          </p>
        )}
        {shown === null ? (
          <Notice title={operator.failure.value === null ? 'Loading' : 'The actors could not be loaded'}>
            {operator.failure.value ?? ''}
          </Notice>
        ) : shown.length === 0 ? (
          <Notice title={wanted === '' && operator.state.value === null ? 'No token is watched' : 'No actor fits'}>
            An actor exists for each token with subscribers, and half a minute longer.
          </Notice>
        ) : (
          <ActorTable operator={operator} actors={shown} />
        )}
      </section>
      {operator.selected.value === null ? null : (
        <ActorDetail
          address={operator.selected.value}
          symbol={symbols.get(operator.selected.value) ?? null}
          actor={operator.detail.value}
          onClose={() => (operator.selected.value = null)}
        />
      )}
    </div>
  )
}

function ActorTable({ operator, actors }: { readonly operator: Operator; readonly actors: readonly ActorState[] }) {
  const sorted = operator.sort.value
  const column = (name: string, sort: ActorSort, wide = false): TableColumn => ({
    name,
    wide,
    class: 'sorted',
    isSorted: sort === sorted,
    head: <SortButton text={name} isSorted={sort === sorted} onSort={() => (operator.sort.value = sort)} />,
  })
  const columns: readonly TableColumn[] = [
    { name: 'Token', text: true },
    { name: 'State', text: true },
    column('Subscribers', 'subscribers'),
    { name: 'Lagging', wide: true },
    column('Sequence', 'sequence', true),
    column('Last update', 'lastUpdateAt'),
    { name: 'Frame', wide: true },
    { name: 'Events', wide: true },
  ]
  return (
    <CompactTable columns={columns} label="Table of actors" name="actor-table" testId="actors">
      {actors.map(({ token, state, sequence, subscribers, lastUpdateAt, frameBytes, eventsHandled }) => (
        <tr key={token} class={operator.selected.value === token ? 'selected' : ''}>
          <td class="text">
            <button
              type="button"
              class="link"
              title={token}
              aria-pressed={operator.selected.value === token}
              onClick={() => (operator.selected.value = token)}
            >
              <ActorName address={token} symbol={operator.symbols.value.get(token) ?? null} />
            </button>
          </td>
          <td class="text">
            <span class={`tag ${STATES[state]}`}>{state}</span>
          </td>
          <td title={`${subscribers.webSocket} WebSocket, ${subscribers.eventStream} event streams`}>
            {formatCompact(subscribers.webSocket + subscribers.eventStream)}
          </td>
          <td class={subscribers.lagging > 0 ? 'wide-only warn' : 'wide-only'}>{formatCompact(subscribers.lagging)}</td>
          <td class="wide-only">{sequence ?? <Unknown />}</td>
          <td>
            <Age time={lastUpdateAt} />
          </td>
          <td class="wide-only">
            <Known text={formatBytes(frameBytes)} />
          </td>
          <td class="wide-only">{formatCompact(eventsHandled)}</td>
        </tr>
      ))}
    </CompactTable>
  )
}

interface SortButtonProps {
  readonly text: string
  readonly isSorted: boolean
  readonly onSort: () => void
}

/** Sorts on the service, largest first. */
function SortButton({ text, isSorted, onSort }: SortButtonProps) {
  return (
    <button type="button" class="sort" onClick={onSort}>
      <span class="arrow" aria-hidden="true">
        {isSorted ? '↓' : ''}
      </span>
      {text}
    </button>
  )
}
