import type { ActorCalls } from '#benchmarks/servers/actorCalls.ts'
import { Worker } from '#benchmarks/support/worker.ts'
import { TOKENWIRE } from '../arms.ts'
import type { Scenario } from '../scenario.ts'

/** The memory of the actors, in a process without sockets. */
export function actorMemory({ actors }: { readonly actors: number }): Scenario {
  return {
    name: `memory of ${actors} actors`,
    about: `${actors} tokens with one subscriber each, without the subscriber's memory, after a garbage collection. An idle actor keeps its newest update`,
    arms: [TOKENWIRE],
    base: TOKENWIRE,
    maxRounds: 1,
    figures: [
      { name: 'watched', unit: 'bytes', better: 'less' },
      { name: 'its update and frame', unit: 'bytes', better: 'less' },
      { name: "the frame's bytes", unit: 'bytes', better: 'less' },
      { name: 'idle', unit: 'bytes', better: 'less' },
      { name: 'passivated', unit: 'bytes', better: 'less' },
    ],
    async measure() {
      const worker = Worker.start<ActorCalls>(new URL('../../../servers/actorProcess.ts', import.meta.url), [], ['--expose-gc'])
      try {
        const { watched, frame, frameBytes, idle, passivated } = await worker.call('measure', { actors })
        return { watched, 'its update and frame': frame, "the frame's bytes": frameBytes, idle, passivated }
      } finally {
        await worker.stop()
      }
    },
  }
}
