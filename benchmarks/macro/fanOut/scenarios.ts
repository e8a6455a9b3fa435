import { TOKENWIRE, TOKENWIRE_AGAIN, UWS_PUBLISH, UWS_SEND, WS } from './arms.ts'
import type { Scenario } from './scenario.ts'
import { actorMemory } from './scenarios/actorMemory.ts'
import { hotTokenLatency, hotTokenThroughput } from './scenarios/hotToken.ts'
import { longTail } from './scenarios/longTail.ts'
import { idleConnections, stalledReaders } from './scenarios/memory.ts'
import { requestsMeanwhile } from './scenarios/requests.ts'
import { slowReaders } from './scenarios/slowReaders.ts'
import { soak } from './scenarios/soak.ts'
import { churn, storm } from './scenarios/storm.ts'
import { wholeBlock } from './scenarios/wholeBlock.ts'

const FEW_ARMS = [TOKENWIRE, TOKENWIRE_AGAIN, UWS_SEND, UWS_PUBLISH, WS]

/** About two minutes with three rounds. */
export const SHORT_SCENARIOS: readonly Scenario[] = [
  hotTokenThroughput({ connections: 1_000, size: 'small', blocks: 40, arms: FEW_ARMS }),
  hotTokenLatency({ connections: 500, size: 'small', blocks: 40, arms: FEW_ARMS }),
  wholeBlock({ connections: 300, tokens: 50, blocks: 5 }),
]

/** All of it, about an hour with three rounds, of which the soak takes ten minutes. */
export const FULL_SCENARIOS: readonly Scenario[] = [
  hotTokenThroughput({ connections: 1_000, size: 'small', blocks: 100 }),
  hotTokenThroughput({ connections: 1_000, size: 'large', blocks: 40 }),
  hotTokenThroughput({ connections: 10_000, size: 'small', blocks: 12 }),
  hotTokenThroughput({ connections: 10_000, size: 'large', blocks: 6 }),
  hotTokenLatency({ connections: 1, size: 'small', blocks: 200 }),
  hotTokenLatency({ connections: 1_000, size: 'small', blocks: 100 }),
  hotTokenLatency({ connections: 10_000, size: 'small', blocks: 40 }),
  wholeBlock({ connections: 1_000, tokens: 50, blocks: 10 }),
  longTail({ connections: 5_000, tokens: 1_000, touched: 200, blocks: 40 }),
  longTail({ connections: 5_000, tokens: 1_000, touched: 200, blocks: 40, tokensEach: 1 }),
  requestsMeanwhile({ connections: 10_000, blocks: 16 }),
  slowReaders({ connections: 500, blocks: 400 }),
  storm({ connections: 10_000 }),
  churn({ connections: 1_000, blocks: 100, perSecond: 5_000 }),
  idleConnections({ connections: 10_000 }),
  stalledReaders({ connections: 300, blocks: 400 }),
  actorMemory({ actors: 10_000 }),
  soak({ connections: 1_000, seconds: 600 }),
]

/** What two checkouts are compared by: what nearly all changes of the path would show in. */
export const COMPARED_SCENARIOS: readonly Scenario[] = [
  hotTokenThroughput({ connections: 1_000, size: 'small', blocks: 100 }),
  hotTokenLatency({ connections: 500, size: 'small', blocks: 60 }),
  wholeBlock({ connections: 300, tokens: 50, blocks: 10 }),
  longTail({ connections: 1_000, tokens: 500, touched: 100, blocks: 20 }),
  storm({ connections: 2_000 }),
  idleConnections({ connections: 5_000 }),
]
