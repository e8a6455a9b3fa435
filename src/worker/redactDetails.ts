import type { IndexerState } from '#resources/indexerState.ts'
import type { Redactor } from '#telemetry/redactor.ts'

/** A detail may quote a whole statement or page. */
const MAX_CHARACTERS = 500

/** The state as it may leave the thread that has the secrets: no detail holds one, or is longer than 500 characters. */
export function redactDetails(state: IndexerState, redactor: Pick<Redactor, 'text'>): IndexerState {
  // A detail is cut after its secrets are hidden: half a secret would not be found.
  return { ...state, details: (state.details ?? []).map(detail => redactor.text(detail).slice(0, MAX_CHARACTERS)) }
}
