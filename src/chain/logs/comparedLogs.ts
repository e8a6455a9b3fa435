import type { Logger } from 'pino'
import { type Clock, systemClock } from '#clock'
import type { ChainLog } from '#domain/block.ts'
import type { Rpc } from '#rpc/rpc.ts'
import { faultOf, RpcError } from '#rpc/rpcFault.ts'
import { decideLogs } from './decideLogs.ts'
import { gatherLogs, type LogGathering } from './gatherLogs.ts'
import type { LogStrategy } from './logStrategy.ts'
import { orderLogs } from './orderLogs.ts'
import { createSecondAnswers } from './secondAnswers.ts'

export interface ComparedLogsOptions {
  readonly rpc: Pick<Rpc, 'ask' | 'askEach' | 'second' | 'preferred' | 'headers'>
  readonly strategy: LogStrategy
  /** Default: real time. */
  readonly clock?: Pick<Clock, 'nowMs' | 'sleep'>
  /** Default: nothing is logged. */
  readonly logger?: Pick<Logger, 'warn'>
}

/** The wanted logs of a query, ascending by place. @throws `RpcError` */
export type ComparedLogs = (gathering: LogGathering) => Promise<readonly ChainLog[]>

/**
 * Asks a second provider for the same logs, where there is one: nothing else shows that old logs are missing or made up. Where the two
 * differ, `decideLogs` decides. A second provider that fails, or is too slow, is not waited for: then the first one is believed.
 */
export function createComparedLogs({ rpc, strategy, clock = systemClock, logger }: ComparedLogsOptions): ComparedLogs {
  const answers = createSecondAnswers(clock)
  const reported = new Set<string>()

  /** @returns `null` when the provider fails */
  const askSecond = async (second: SecondProvider, gathering: LogGathering, isOver: () => boolean) => {
    const ask: Rpc['ask'] = question => (isOver() ? Promise.reject(new RpcError({ kind: 'closed' })) : second.ask(question))
    try {
      // What differs is looked up in receipts, so nothing has to be proven before.
      return orderLogs(await gatherLogs({ ...second, ask }, strategy, { ...gathering, provesLogs: false }))
    } catch (error) {
      if (faultOf(error) === null) throw error
      return null
    }
  }

  const report = (provider: string, block: number) => {
    if (reported.has(provider)) return
    reported.add(provider)
    logger?.warn({ provider, block }, 'RPC provider leaves logs of old blocks out, makes some up or alters them: receipts show it')
  }

  return async gathering => {
    const second = rpc.second()
    let asked = rpc.preferred().name
    const ask: Rpc['ask'] = question =>
      rpc.ask(provider => {
        asked = provider.name
        return question(provider)
      })
    const askFirst = async () => orderLogs(await gatherLogs({ ask, preferred: rpc.preferred }, strategy, gathering))
    if (second === null) return askFirst()
    const [logs, others] = await answers.both(askFirst, isOver => askSecond(second, gathering, isOver))
    if (others === null) return logs
    const decided = await decideLogs(rpc, [logs, others], gathering.testOf(gathering.query.filter))
    if (decided.disputed !== null) {
      for (const [index, name] of [asked, second.preferred().name].entries())
        if (decided.isRight[index] === false) report(name, decided.disputed)
    }
    return decided.logs
  }
}

type SecondProvider = NonNullable<ReturnType<Rpc['second']>>
