import { isEnvelope, type RpcEnvelope } from './rpcEndpoint.ts'

/**
 * The answers to the calls of a batch, in the order of their ids; `undefined`: none. Answers come in any order, and some servers write ids
 * as text. Answers whose ids are useless, all the same or left out, are taken in the order of the calls.
 */
export function matchAnswers(ids: readonly number[], answers: readonly unknown[]): readonly (RpcEnvelope | undefined)[] {
  const envelopes = answers.filter(isEnvelope)
  const byId = new Map(envelopes.map(envelope => [String(envelope.id), envelope]))
  const tellNothing = byId.size === 1 && envelopes.length > 1 && envelopes.length === ids.length
  return tellNothing ? envelopes : ids.map(id => byId.get(String(id)))
}
