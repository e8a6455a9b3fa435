import type { Socket } from 'node:net'

/** The parts of the driver's pool that are used. */
export interface DriverPool {
  /** What the pool opens. */
  Client: new (
    options: unknown,
  ) => DriverClient
  readonly options: {
    onConnect?: (client: DriverClient) => Promise<void>
    maxLifetimeSeconds?: number
    readonly types: { setTypeParser(oid: number, parse: (text: string) => unknown): void }
  }
  on(event: 'connect', listener: (connection: RawConnection) => void): void
  on(event: 'release', listener: (error: unknown, client: DriverClient) => void): void
}

/** The parts of the driver's connection that are used from within its pool. */
export interface DriverClient {
  readonly connection: {
    readonly stream: Socket
    on(event: 'authenticationSASL', listener: (asked: { readonly mechanisms: readonly string[] }) => void): void
    on(event: 'authenticationOk', listener: () => void): void
    once(event: 'end', listener: () => void): void
  }
  query(...args: readonly unknown[]): unknown
  end(...args: readonly unknown[]): unknown
  /** `I`: outside of a transaction. */
  getTransactionStatus(): string | null
}

/** The parts of a connection that its user gets. */
export interface RawConnection {
  on(event: 'notification', listener: (notification: { readonly channel: string; readonly payload?: string }) => void): void
  readonly connection: { readonly stream: { destroy(): void } }
}
