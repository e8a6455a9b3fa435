import type { ActorState } from '#client/generated/types.ts'
import { formatBytes, formatCount } from '#console/format/numbers.ts'
import { formatMoment } from '#console/format/time.ts'
import { Copy } from '#console/parts/copy.tsx'
import { Pair, Pairs } from '#console/parts/pairs.tsx'
import { Age, Known, Unknown } from '#console/parts/value.tsx'
import { hrefOf } from '#console/state/route.ts'
import { ActorName } from './actorName.tsx'

interface ActorDetailProps {
  readonly address: string
  /** `null` while unknown. */
  readonly symbol: string | null
  /** `null` while unknown, and when the token has no subscriber any more. */
  readonly actor: ActorState | null
  readonly onClose: () => void
}

export function ActorDetail({ address, symbol, actor, onClose }: ActorDetailProps) {
  return (
    <section class="card" aria-labelledby="actor-title" data-testid="actor">
      <header>
        <h2 id="actor-title">
          Actor <ActorName address={address} symbol={symbol} />
        </h2>
        <Copy text={address} of="token address" />
        <button type="button" class="button bare" onClick={onClose}>
          Close
        </button>
      </header>
      {actor === null ? (
        <p class="card-body quiet" role="status">
          The token has no actor now, because it has no subscriber.
        </p>
      ) : (
        <Pairs>
          <Pair name="State">{actor.state}</Pair>
          <Pair name="Last block">{actor.lastBlock === null ? <Unknown /> : formatCount(actor.lastBlock)}</Pair>
          <Pair name="WebSockets">{formatCount(actor.subscribers.webSocket)}</Pair>
          <Pair name="Event streams">{formatCount(actor.subscribers.eventStream)}</Pair>
          <Pair name="Lagging">{formatCount(actor.subscribers.lagging)}</Pair>
          <Pair name="Conflated">{formatCount(actor.conflated)}</Pair>
          <Pair name="Events handled">{formatCount(actor.eventsHandled)}</Pair>
          <Pair name="Frame">
            <Known text={formatBytes(actor.frameBytes)} />
          </Pair>
          <Pair name="Last update">
            <Age time={actor.lastUpdateAt} />
          </Pair>
          <Pair wide name="Sequence">
            {actor.sequence ?? <Unknown />}
          </Pair>
          <Pair wide name="Activated">
            <Known text={formatMoment(actor.activatedAt)} />
          </Pair>
        </Pairs>
      )}
      <p class="card-body">
        <a href={hrefOf({ view: 'token', address })}>Look at the token</a>
      </p>
    </section>
  )
}
