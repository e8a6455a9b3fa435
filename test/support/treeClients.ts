import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { type Frame, FramedSnapshot } from '#actors/token/frame.ts'
import type { Random } from '#devchain/traders/random.ts'
import type { Address } from '#domain/address.ts'
import { comparePlaces, type EventPlace, FIRST_PLACE, placeAfterReorg } from '#domain/eventPlace.ts'
import type { TokenUpdate } from '#protocol/encodeUpdate.ts'
import type { CommittedBlock } from '#resources/committedBlock.ts'
import { placeOfTrade, type Trade } from '#resources/trades.ts'
import type { Queryable } from '#store/connection/databaseSchema.ts'
import { readSnapshots } from '#store/reads/snapshots.ts'
import { readTrades } from '#store/reads/trades.ts'
import { createTestRegistry, RecordingSubscription } from './actors.ts'
import { startPatience } from './patience.ts'
import { TradeFold } from './tradeFold.ts'

const CHAIN_ID = 1

/** More than the trees have. */
const MAX_TRADES = 500

/** Clients of the service's actors that subscribe and unsubscribe at any moment, also during a commit. */
export interface TreeClients {
  /** The committer's question. A client may subscribe just after the answer. */
  isWatched(token: Address): boolean
  take(block: CommittedBlock): void
  /** Lets a client subscribe or unsubscribe at random. */
  stir(): void
  /** All clients disconnect and come back, as after a restart of the service. */
  reconnect(): void
  /** Differences between the clients' states and the database, once no load is pending; empty if there are none. */
  faults(): Promise<readonly string[]>
}

export function createTreeClients(db: Queryable, random: Random): TreeClients {
  const known = new Set<Address>()
  const watching = new Map<Address, RecordingSubscription>()
  const ended: RecordingSubscription[] = []
  const open = () =>
    createTestRegistry({
      load: addresses => readSnapshots(db, { chainId: CHAIN_ID, addresses }),
      now: () => performance.now(),
    })
  let registry = open()

  const join = (token: Address) => {
    if (watching.has(token)) return
    const subscription = new RecordingSubscription()
    watching.set(token, subscription)
    registry.subscribe(token, subscription)
  }
  const leave = (token: Address) => {
    const subscription = watching.get(token)
    if (subscription === undefined) return
    watching.delete(token)
    ended.push(subscription)
    registry.unsubscribe(token, subscription)
  }
  const loaded = async () => {
    const patience = startPatience()
    for (;;) {
      const { total, byState } = registry.health()
      if (byState['live'] === total) return
      if (patience.isOver()) throw new Error(`actors do not come to rest: ${JSON.stringify(byState)}`)
      await pause(1)
    }
  }

  return {
    isWatched: token => {
      known.add(token)
      const watched = registry.get(token) !== null
      if (random.chance(0.15)) queueMicrotask(() => join(token))
      return watched
    },
    take: block => {
      for (const token of block.unread) known.add(token)
      registry.dispatch(block)
    },
    stir: () => {
      if (known.size === 0 || !random.chance(0.3)) return
      const token = random.pick([...known])
      if (random.chance(0.6)) join(token)
      else {
        leave(token)
        // Without subscribers the actor is passivated, as after its idle time.
        for (let sweep = 0; sweep < 6; sweep++) registry.sweep()
      }
    },
    reconnect: () => {
      registry.stop()
      registry = open()
      ended.push(...watching.values())
      const tokens = [...watching.keys()]
      watching.clear()
      for (const token of tokens) join(token)
    },
    faults: async () => {
      await loaded()
      const addresses = [...watching.keys()]
      const stored = await readSnapshots(db, { chainId: CHAIN_ID, addresses })
      const faults = stored.flatMap(snapshot => {
        const { address, sequence } = snapshot.token
        const last = watching.get(address)?.frames.at(-1)
        const expected = new FramedSnapshot(snapshot, null).frame(null).since(null).webSocket
        return last !== undefined && Buffer.compare(last.since(null).webSocket, expected) === 0
          ? []
          : [`${address} is at ${sequence}, its subscriber at ${last?.sequence ?? 'nothing'}`]
      })
      // A token whose launch is void has no state, and its subscribers get none.
      for (const { address } of stored.map(({ token }) => token)) {
        const trades = (await readTrades(db, { address: address, order: 'asc', limit: MAX_TRADES }))?.data ?? []
        const { held, after } = foldedTrades(watching.get(address)?.frames ?? [])
        const stored = trades.filter(trade => comparePlaces(placeOfTrade(trade), after) > 0)
        if (!isDeepStrictEqual(held, stored))
          faults.push(`${address} has ${stored.length} trades, its subscriber was told of ${held.length}`)
      }
      const fell = [...watching.values(), ...ended].filter(({ frames }) =>
        frames.some((frame, index) => frame.sequence < (frames[index - 1]?.sequence ?? 0)),
      )
      registry.stop()
      return [...faults, ...fell.map(({ log }) => `a sequence fell: ${log.join(', ')}`)]
    },
  }
}

/** What a subscriber was told of trades after a place; what comes before it would have to be read over REST. */
function foldedTrades(frames: readonly Frame[]): { readonly held: readonly Trade[]; readonly after: EventPlace } {
  const fold = new TradeFold()
  let after = FIRST_PLACE
  for (const [index, frame] of frames.entries()) {
    const { webSocket } = frame.since(frames[index - 1]?.position ?? null)
    const update = JSON.parse(new TextDecoder().decode(webSocket)) as TokenUpdate
    fold.apply(update)
    after = placeAfterReorg(after, update.replacedFrom === undefined ? null : Number(update.replacedFrom))
    if (!fold.isBehind) continue
    fold.read([])
    after = frame.position.place
  }
  return { held: fold.held, after }
}
