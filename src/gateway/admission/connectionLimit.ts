import { Tally } from '#domain/tally.ts'
import type { GrantedKey } from '#gateway/keys/grantedKey.ts'
import { type Client, clientId } from './client.ts'

/** The answer to a new connection. 429: this client has too many connections; 503: the process has too many. */
export type ConnectionAdmission = AdmittedConnection | { readonly kind: 'refused'; readonly status: 429 | 503 }

/** The numbers of refused connections by whose limit was reached. */
export interface RefusedConnections {
  readonly client: number
  readonly process: number
}

export interface AdmittedConnection {
  readonly kind: 'admitted'
  /** To be called when the connection has closed, so that it no longer counts. Further calls do nothing. */
  release(): void
}

/** Open WebSockets and event streams. */
class OpenConnections {
  total = 0
  readonly ofClient = new Tally()

  add(id: string, key: GrantedKey | null, difference: 1 | -1): void {
    this.total += difference
    this.ofClient.add(id, difference)
    key?.connectionChanged(difference)
  }
}

export interface ConnectionLimit {
  admit(client: Client): ConnectionAdmission
  readonly refused: RefusedConnections
}

/** Admits WebSockets and event streams within the limits of the process, and of each client: those of its key, or else of its address. */
export function createConnectionLimit(maxConnections: number, maxConnectionsPerIp: number): ConnectionLimit {
  const open = new OpenConnections()
  const refused = { client: 0, process: 0 }
  const refuse = ({ key }: Client, status: 429 | 503): ConnectionAdmission => {
    key?.connectionRefused()
    refused[status === 429 ? 'client' : 'process']++
    return { kind: 'refused', status }
  }
  return {
    admit(client) {
      const id = clientId(client)
      if (open.ofClient.of(id) >= (client.key?.limits.connections ?? maxConnectionsPerIp)) return refuse(client, 429)
      if (open.total >= maxConnections) return refuse(client, 503)
      return new CountedConnection(open, id, client.key)
    },
    refused,
  }
}

/** A counted connection. It is a class, since each open connection has one, and closures take three times the memory. */
class CountedConnection implements AdmittedConnection {
  readonly kind = 'admitted'
  readonly #open: OpenConnections
  readonly #id: string
  readonly #key: GrantedKey | null
  #isReleased = false

  constructor(open: OpenConnections, id: string, key: GrantedKey | null) {
    this.#open = open
    this.#id = id
    this.#key = key
    open.add(id, key, 1)
  }

  release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#open.add(this.#id, this.#key, -1)
  }
}
