import { decimalsOf, type MappedEvent, type MappingContext, tokenReader } from './context.ts'
import { curvePoolReader } from './curvePool.ts'
import { progressEvents, stateEvents, stateReader, UNKNOWN_STATE } from './curveState.ts'
import type { Readers } from './readers.ts'

/** The state of a curve, in an event apart from its trades. */
export function stateEvent(readers: Readers, context: MappingContext): MappedEvent {
  const token = tokenReader(readers)
  const pool = curvePoolReader(readers, context)
  const state = stateReader(readers)
  return {
    ...(readers.choice('comes') === 'afterTrade' && { followsTrade: true }),
    decode: mapped => {
      const at = { ...mapped.at, token: token(mapped) }
      const { raised, ...fields } = state?.(mapped.log, decimalsOf(context, mapped.tokenSource)) ?? UNKNOWN_STATE
      return [...stateEvents(at, pool(mapped, at.token), fields), ...progressEvents(at, raised)]
    },
  }
}
