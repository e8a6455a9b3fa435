import type { Address } from '#domain/address.ts'

export interface ListeningCalls {
  /** Keeps that many feeds of gateways, each of which watches the token. By NATS where `natsUrl` is given, else by PostgreSQL. */
  listen(request: {
    readonly count: number
    readonly databaseUrl: string
    readonly natsUrl: string | null
    readonly chainId: number
    readonly token: Address
  }): Promise<void>
  /** Resolves when every feed has handed over this state of the token or a newer one. */
  holds(state: { readonly sequence: number }): Promise<void>
  /** The processor time of the process since its start. */
  cpuMs(argument: null): number
}
