import type { AbiEvent } from 'viem'
import { type DecodeEventLogReturnType, decodeEventLog } from 'viem/utils'
import type { Hex } from '#domain/address.ts'
import type { ChainLog } from '#domain/block.ts'
import { MalformedLogError } from './malformedLog.ts'

type NamedArguments<Event extends AbiEvent> = Exclude<DecodeEventLogReturnType<readonly [Event]>['args'], readonly unknown[] | undefined>

/** The arguments of an event with dynamic types, all of them named. @throws MalformedLogError when the log does not fit the event */
export function decodeEvent<const Event extends AbiEvent>(event: Event, log: ChainLog): NamedArguments<Event> {
  try {
    const { args } = decodeEventLog({ abi: [event as AbiEvent], data: log.data, topics: [...log.topics] as [Hex, ...Hex[]] })
    return args as unknown as NamedArguments<Event>
  } catch (error) {
    throw new MalformedLogError(`expected a ${event.name} event`, { cause: error })
  }
}
