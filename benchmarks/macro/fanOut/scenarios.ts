import { maxConnections } from '#benchmarks/support/openFiles.ts'
import { avalanche } from '../outages/avalanche.ts'
import { failover } from '../outages/failover.ts'
import { idleGateway } from '../outages/idle.ts'
import { jitter } from '../outages/jitter.ts'
import { NCHAN, SOCKET_IO, TOKENWIRE, TOKENWIRE_AGAIN, TOKENWIRE_SSE, UWS_PUBLISH, UWS_SEND, WS } from './arms.ts'
import type { Scenario } from './scenario.ts'
import { actorMemory } from './scenarios/actorMemory.ts'
import { hotTokenLatency, hotTokenThroughput } from './scenarios/hotToken.ts'
import { longTail } from './scenarios/longTail.ts'
import { idleConnections, maxIdleConnections, stalledReaders } from './scenarios/memory.ts'
import { requestsMeanwhile } from './scenarios/requests.ts'
import { slowReaders } from './scenarios/slowReaders.ts'
import { soak } from './scenarios/soak.ts'
import { churn, storm } from './scenarios/storm.ts'
import { trueChain } from './scenarios/trueChain.ts'
import { wholeBlock } from './scenarios/wholeBlock.ts'

const FEW_ARMS = [TOKENWIRE, TOKENWIRE_AGAIN, UWS_SEND, UWS_PUBLISH, WS]

/** About two minutes with three rounds. */
export const SHORT_SCENARIOS: readonly Scenario[] = [
  hotTokenThroughput({ connections: 1_000, size: 'small', blocks: 40, arms: FEW_ARMS }),
  hotTokenLatency({ connections: 500, size: 'small', blocks: 40, arms: FEW_ARMS }),
  wholeBlock({ connections: 300, tokens: 50, blocks: 5 }),
]

const LARGE_ARMS = [TOKENWIRE, TOKENWIRE_AGAIN, TOKENWIRE_SSE, UWS_SEND, UWS_PUBLISH, WS, SOCKET_IO, NCHAN]
const MANY_ARMS = [TOKENWIRE, TOKENWIRE_AGAIN, UWS_SEND, UWS_PUBLISH, WS, SOCKET_IO, NCHAN]
const MIN_ARMS = [TOKENWIRE, TOKENWIRE_AGAIN, UWS_SEND, WS]

const MAX_IDLE = maxConnections()
const IDLE_COUNTS = [...[1_000, 10_000].filter(count => count < MAX_IDLE), MAX_IDLE]

/** All scenarios, about 35 minutes with three rounds, and ten for the soak. */
export const FULL_SCENARIOS: readonly Scenario[] = [
  hotTokenThroughput({ connections: 1_000, size: 'small', blocks: 100 }),
  hotTokenThroughput({ connections: 1_000, size: 'large', blocks: 40, arms: LARGE_ARMS }),
  hotTokenThroughput({ connections: 10_000, size: 'small', blocks: 12, arms: MANY_ARMS }),
  hotTokenThroughput({ connections: 10_000, size: 'large', blocks: 6, arms: MIN_ARMS }),
  hotTokenLatency({ connections: 1, size: 'small', blocks: 200, arms: MIN_ARMS }),
  hotTokenLatency({ connections: 1_000, size: 'small', blocks: 100 }),
  hotTokenLatency({ connections: 1_000, size: 'large', blocks: 60, arms: MIN_ARMS }),
  hotTokenLatency({ connections: 10_000, size: 'small', blocks: 40, arms: FEW_ARMS }),
  wholeBlock({ connections: 1_000, tokens: 50, blocks: 6 }),
  wholeBlock({ connections: 1_000, tokens: 50, blocks: 20, tokensEach: 1 }),
  longTail({ connections: 5_000, tokens: 1_000, touched: 200, blocks: 24 }),
  longTail({ connections: 5_000, tokens: 1_000, touched: 200, blocks: 24, tokensEach: 1 }),
  trueChain({ connections: 1_000, blocks: 60 }),
  requestsMeanwhile({ connections: 10_000, blocks: 12 }),
  slowReaders({ connections: 500, blocks: 100 }),
  storm({ connections: 10_000 }),
  churn({ connections: 1_000, blocks: 100, perSecond: 5_000 }),
  idleConnections({ connections: 10_000 }),
  maxIdleConnections(),
  stalledReaders({ connections: 300, blocks: 400 }),
  actorMemory({ actors: 10_000 }),
  jitter({ connections: 2_000 }),
  jitter({ connections: 10_000 }),
  avalanche({ connections: 5_000 }),
  idleGateway({ connections: IDLE_COUNTS }),
  failover({ connections: 100 }),
  soak({ connections: 1_000, seconds: 600 }),
]

/** The scenarios that compare two checkouts: nearly all changes of the path show in them. */
export const COMPARED_SCENARIOS: readonly Scenario[] = [
  hotTokenThroughput({ connections: 1_000, size: 'small', blocks: 100 }),
  hotTokenLatency({ connections: 500, size: 'small', blocks: 60 }),
  wholeBlock({ connections: 300, tokens: 50, blocks: 10 }),
  longTail({ connections: 1_000, tokens: 500, touched: 100, blocks: 20 }),
  storm({ connections: 2_000 }),
  idleConnections({ connections: 5_000 }),
]
