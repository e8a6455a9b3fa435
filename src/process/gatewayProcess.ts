/** The environment variable that names a gateway process to itself. Not set: an operator has started the process. */
export const GATEWAY_PROCESS = 'TOKENWIRE_GATEWAY_PROCESS'
