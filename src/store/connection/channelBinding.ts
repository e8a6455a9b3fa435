import type { Socket } from 'node:net'

interface DriverClient {
  readonly connection: {
    readonly stream: Socket
    on(event: 'authenticationSASL', listener: (asked: { readonly mechanisms: readonly string[] }) => void): void
    on(event: 'authenticationOk', listener: () => void): void
  }
}

interface Pool {
  Client: new (options: unknown) => DriverClient
}

const BOUND = 'SCRAM-SHA-256-PLUS'

/** The parameter `channel_binding` of a database's URL, which the driver does not read. Default `disable`. */
export function channelBindingOf(databaseUrl: string): 'disable' | 'prefer' | 'require' {
  const asked = new URL(databaseUrl).searchParams.get('channel_binding')
  return asked === 'require' || asked === 'prefer' ? asked : 'disable'
}

/** Has a pool end each connection whose log-in is not bound to its TLS connection. */
export function requireChannelBinding(pool: Pool): void {
  pool.Client = class extends pool.Client {
    constructor(options: unknown) {
      super(options)
      const { connection } = this
      let isBound = false
      connection.on('authenticationSASL', ({ mechanisms }) => {
        isBound = mechanisms.includes(BOUND)
        if (!isBound) connection.stream.destroy(unbound())
      })
      connection.on('authenticationOk', () => {
        if (!isBound) connection.stream.destroy(unbound())
      })
    }
  }
}

function unbound(): Error {
  const message =
    'channel_binding=require, and the server offers none: it needs TLS and a SCRAM password, and nothing that ends TLS in between'
  return Object.assign(new Error(message), { code: 'ERR_TLS_CHANNEL_BINDING' })
}
