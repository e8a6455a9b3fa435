/** The part of the package that is used. Its own types need those of a driver that this repository does not depend on. */
declare module 'pg-copy-streams' {
  import type { Readable } from 'node:stream'

  /** A statement for the driver's `query`: what the server copies out, as bytes. */
  export function to(statement: string, options: { readonly highWaterMark: number }): Readable & { readonly rowCount: number }
}
