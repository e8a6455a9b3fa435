import type { MessagePort } from 'node:worker_threads'
import type { Caller } from '#async/calls.ts'
import type { Config } from '#config'
import type { Address } from '#domain/address.ts'
import type { AdmissionMemory } from '#gateway/admission/admissionCounts.ts'
import type { GatewayReport } from '#gateway/health/gatewayReport.ts'
import type { ProcessView } from '#gateway/health/processView.ts'
import type { AppDescriptor } from '#gateway/listening/acceptor.ts'
import type { OperatorPolicy } from '#gateway/operator/operatorPolicy.ts'
import type { ActorState, ActorsQuery } from '#resources/actors.ts'
import type { EthUsd, LastEthUsd } from '#resources/ethUsd.ts'
import type { IndexerHealth } from '#resources/health.ts'
import type { WriteLock } from '#telemetry/writeLock.ts'

/* The functions that the main thread and a gateway thread call in each other. Arguments and results are plain data. */

/** What a gateway thread is started with. */
export interface GatewayThreadData {
  /** Names the thread in logs and metrics. */
  readonly name: string
  /** With the launchpads of the database. */
  readonly config: Config
  readonly databaseUrl: string
  readonly chainId: number
  readonly operators: OperatorPolicy
  readonly memory: AdmissionMemory
  readonly writeLock: WriteLock
  /** How it receives commits: from the indexing thread, or as any gateway does. */
  readonly carrier: 'thread' | 'database'
  /** The port to the indexing thread; `null`: the process never indexes. */
  readonly blocks: MessagePort | null
}

/** Functions of a gateway thread. */
export type ThreadFunctions = {
  /** Once, before all others. @returns the app that takes its connections @throws `TokenwireError` with what prevents it */
  open(): Promise<AppDescriptor>
  /** @returns the app for new connections @throws when the files are no certificate and its key */
  renewCertificate(): AppDescriptor
  /** @param untilMs of `monotonicMs` */
  priced(ethUsd: string, untilMs: number): void
  report(): Promise<GatewayReport>
  /** The health of the whole process. */
  health(): Promise<IndexerHealth>
  listActors(query: ActorsQuery): readonly ActorState[]
  actor(token: Address): ActorState | null
  /** Resolves when its connections are closed and nothing runs any more. */
  close(): Promise<void>
  exit(): void
}

/** Functions of the main thread. */
export type MainFunctions = ProcessView & {
  /** As `get` of `EthUsdPrices`; `lastPrice` as its `last`. */
  price(): Promise<EthUsd>
  lastPrice(): LastEthUsd | null
}

/** A gateway thread, as the main thread has it. */
export interface GatewayThread {
  readonly name: string
  readonly call: Caller<ThreadFunctions>
}
