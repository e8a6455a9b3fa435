/* The public API of `tokenwire/client/operator`. */
import { OPERATOR_METHODS, type OperatorApi } from './generated/operatorMethods.ts'
import { createRestApi } from './rest/rest.ts'
import type { Tokenwire } from './tokenwire.ts'

export type { OperatorApi } from './generated/operatorMethods.ts'
export type { ActorSort, ActorState, ActorStateName, ActorsQuery, ProcessState } from './generated/types.ts'
export type { OperatorOptions, OperatorPage } from './rest/calls.ts'

/**
 * The operators' calls of a client: its processes and its actors.
 *
 * @example operatorCalls(tokenwire).actors({ sort: 'subscribers' }, { operatorToken })
 */
export const operatorCalls = (client: Tokenwire): OperatorApi => createRestApi(OPERATOR_METHODS, client.extension.rest)
