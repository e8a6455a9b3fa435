import { spawn } from 'node:child_process'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { CHAIN_ID } from '#benchmarks/chain/launchpadChain.ts'
import { treeUsage } from '#benchmarks/service/processUsage.ts'
import { freePort } from '#test/support/freePort.ts'
import { FACTORY, WETH } from '#test/support/simulatedLaunchpad.ts'
import type { Indexer, Surroundings } from './indexer.ts'
import { type Peer, peerFolder } from './installPeer.ts'

/* Other indexers, each from its own package, started as its documentation says. */

const POLL_MS = 50
const MAX_MS = 1_800_000
const OUTPUT_KEPT = 20_000
const START_BLOCK = '1'

interface Program {
  readonly folder: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  /** `null`: none yet. */
  indexedBlock(): Promise<number | null>
}

const PROGRAMS: Readonly<Record<Peer, (surroundings: Surroundings, port: number) => Program>> = {
  ponder: ({ rpcUrl, databaseUrl }, port) => {
    const folder = peerFolder('ponder')
    const ponder = path.join(folder, 'node_modules/ponder/dist/esm/bin/ponder.js')
    return {
      folder,
      args: [ponder, 'start', '--schema', 'ponder', '--hostname', '127.0.0.1', '--port', String(port)],
      env: {
        RPC_URL: rpcUrl,
        DATABASE_URL: databaseUrl,
        CHAIN_ID: String(CHAIN_ID),
        START_BLOCK,
        LAUNCHPAD: FACTORY,
        WETH,
        PONDER_TELEMETRY_DISABLED: '1',
        NODE_ENV: 'production',
      },
      indexedBlock: async () => {
        const text = await textOf(`http://127.0.0.1:${port}/status`)
        const status = JSON.parse(text || 'null') as Readonly<Record<string, { readonly block: { readonly number: number } | null }>> | null
        return status?.['chain']?.block?.number ?? null
      },
    }
  },
  sqd: ({ rpcUrl, databaseUrl }, port) => {
    const folder = peerFolder('sqd')
    return {
      folder,
      args: [path.join(folder, 'lib/main.js')],
      env: {
        RPC_URL: rpcUrl,
        DB_URL: databaseUrl,
        START_BLOCK,
        LAUNCHPAD: FACTORY,
        WETH,
        PROMETHEUS_PORT: String(port),
        SQD_INFO: 'none',
        NODE_ENV: 'production',
      },
      indexedBlock: () => metricOf(port, 'sqd_processor_last_block'),
    }
  },
}

export async function startPeer(peer: Peer, surroundings: Surroundings): Promise<Indexer> {
  const { folder, args, env, indexedBlock } = PROGRAMS[peer](surroundings, await freePort())
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [...args], { cwd: folder, env: { PATH, HOME, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output = (output + String(chunk)).slice(-OUTPUT_KEPT)))
  const exited = new Promise<void>(resolve => void child.once('close', () => resolve()))
  return {
    indexed: async block => {
      const deadline = performance.now() + MAX_MS
      while (((await indexedBlock()) ?? -1) < block) {
        const hasEnded = child.exitCode !== null || child.signalCode !== null
        if (hasEnded || performance.now() > deadline) throw new Error(`${peer} ${hasEnded ? 'ended early' : 'does not finish'}:\n${output}`)
        await pause(POLL_MS)
      }
    },
    usage: async () => (await treeUsage(child.pid ?? 0)) ?? { cpuMs: Number.NaN, peakRssMiB: Number.NaN },
    stop: async () => {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Empty without an answer. */
async function textOf(url: string): Promise<string> {
  const response = await fetch(url).catch(() => null)
  return response?.ok === true ? response.text() : ''
}

/** A sample of Prometheus metrics, with or without labels. */
async function metricOf(port: number, name: string): Promise<number | null> {
  const text = await textOf(`http://127.0.0.1:${port}/metrics`)
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]
  return value === undefined ? null : Number(value)
}
