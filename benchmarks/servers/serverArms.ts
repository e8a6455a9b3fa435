import type { Arm, Figures } from '#benchmarks/harness/benchmark.ts'
import type { ServerKind } from './feedServer.ts'
import { Session } from './session.ts'

/** The first is the base of ratios; the last is the same code as the second, and shows the noise. */
const SERVERS: readonly (readonly [name: string, kind: ServerKind])[] = [
  ['bare uWebSockets.js', 'uws'],
  ['tokenwire', 'tokenwire'],
  ['ws', 'ws'],
  ['socket.io', 'socket.io'],
  ['tokenwire, again', 'tokenwire'],
]

/** The compared servers, each measured in a session of its own. */
export function serverArms(measure: (session: Session) => Promise<Figures>): readonly Arm[] {
  return SERVERS.map(([name, kind]) => ({ name, measure: () => inSession(kind, measure) }))
}

export async function inSession<T>(kind: ServerKind, measure: (session: Session) => Promise<T>): Promise<T> {
  const session = await Session.start(kind)
  try {
    return await measure(session)
  } finally {
    await session.stop()
  }
}
