import { batch, effect, type ReadonlySignal, type Signal, signal, untracked } from '@preact/signals'
import type { Result } from '#client/clientError.ts'
import type { ActorSort, ActorState, ActorStateName, ProcessState } from '#client/generated/types.ts'
import { operatorCalls } from '#client/operator.ts'
import type { Tokenwire } from '#client/tokenwire.ts'
import { type ProcessMetrics, readMetrics } from '#console/operator/processMetrics.ts'
import { type Poll, poll } from './polling.ts'
import { askMetrics } from './session.ts'

const LIMIT = 500
/** Symbols asked for at once: as many tokens as one request of the API may name. */
const SYMBOLS_AT_ONCE = 100

/** How the operator routes answer. `token`: they require a token; `wrong`: they reject the given one; `closed`: they are disabled here. */
export type Access = 'unknown' | 'open' | 'token' | 'wrong' | 'closed'

export interface Operator {
  readonly access: ReadonlySignal<Access>
  readonly actors: ReadonlySignal<readonly ActorState[] | null>
  /** Symbols by token address, as far as they are known. `null`: the token has none. */
  readonly symbols: ReadonlySignal<ReadonlyMap<string, string | null>>
  readonly failure: ReadonlySignal<string | null>
  readonly process: ReadonlySignal<ProcessMetrics | null>
  /** The processes on the service's database. */
  readonly processes: ReadonlySignal<readonly ProcessState[] | null>
  readonly sort: Signal<ActorSort>
  readonly state: Signal<ActorStateName | null>
  /** Address of the actor that is shown in detail. */
  readonly selected: Signal<string | null>
  readonly detail: ReadonlySignal<ActorState | null>
  /** Uses an operator token, which is only kept in the memory of this page. `null` forgets it. */
  setToken(token: string | null): void
  stop(): void
}

/** Data for operators, polled until `stop`. */
export function createOperator(client: Tokenwire, token: Signal<string | null>): Operator {
  const calls = operatorCalls(client)
  const access = signal<Access>('unknown')
  const actors = signal<readonly ActorState[] | null>(null)
  const symbols = signal<ReadonlyMap<string, string | null>>(new Map())
  const failure = signal<string | null>(null)
  const process = signal<ProcessMetrics | null>(null)
  const processes = signal<readonly ProcessState[] | null>(null)
  const sort = signal<ActorSort>('subscribers')
  const state = signal<ActorStateName | null>(null)
  const selected = signal<string | null>(null)
  const detail = signal<ActorState | null>(null)

  const credentials = () => {
    const operatorToken = token.peek()
    return operatorToken === null ? {} : { operatorToken }
  }

  function judge(result: Result<unknown>): void {
    if (result.ok) {
      access.value = 'open'
      failure.value = null
    } else if (result.error.status === 401) access.value = token.peek() === null ? 'token' : 'wrong'
    else if (result.error.status === 403) access.value = 'closed'
    else failure.value = result.error.message
  }

  /** Asks for symbols that are not known yet. A token's symbol never changes. */
  async function askSymbols(tokens: readonly string[], signal: AbortSignal): Promise<void> {
    const addresses = tokens.filter(token => !symbols.peek().has(token)).slice(0, SYMBOLS_AT_ONCE)
    if (addresses.length === 0) return
    const result = await client.tokens({ addresses, limit: addresses.length }, { signal, retries: 0 })
    if (!result.ok || signal.aborted) return
    symbols.value = new Map([...symbols.peek(), ...result.value.data.map(({ address, symbol }) => [address, symbol] as const)])
  }

  async function ask(signal: AbortSignal): Promise<Result<null>> {
    const filter = state.peek() === null ? {} : { state: state.peek() as ActorStateName }
    const list = await calls.actors({ sort: sort.peek(), limit: LIMIT, ...filter }, { ...credentials(), signal, retries: 0 })
    if (signal.aborted) return { ok: true, value: null }
    judge(list)
    if (!list.ok) {
      if (access.peek() !== 'open') actors.value = null
      return list
    }
    const address = selected.peek()
    const [one, metrics, peers] = await Promise.all([
      address === null ? null : calls.actor(address, { ...credentials(), signal, retries: 0 }),
      askMetrics(token.peek(), signal),
      calls.processes({ ...credentials(), signal, retries: 0 }),
      askSymbols(
        list.value.data.map(actor => actor.token),
        signal,
      ),
    ])
    if (signal.aborted) return { ok: true, value: null }
    // At once, because what came later would push the rest down.
    batch(() => {
      actors.value = list.value.data
      if (address === selected.peek()) detail.value = one?.ok === true ? one.value : null
      processes.value = peers.ok ? peers.value.data : null
      process.value = metrics === null ? null : readMetrics(metrics)
    })
    return { ok: true, value: null }
  }

  const asked: Poll<null> = poll({ everyMs: 3_000, ask })
  const stopFollowing = effect(() => {
    // A change of any of these asks again at once.
    void [sort.value, state.value, selected.value, token.value]
    untracked(() => asked.refresh())
  })

  return {
    access,
    actors,
    symbols,
    failure,
    process,
    processes,
    sort,
    state,
    selected,
    detail,
    setToken(next) {
      access.value = 'unknown'
      token.value = next
    },
    stop() {
      stopFollowing()
      asked.stop()
    },
  }
}
