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
}
