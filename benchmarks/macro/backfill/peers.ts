import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '#benchmarks/support/freePort.ts'
import { type Indexing, POLL_MS, type Surroundings } from './arms.ts'
import { type Contestant, jsonOf, startContestant } from './contestant.ts'
import { configureEnvio, ENVIO_INDEXER } from './installPeers.ts'

/* Other indexers, each from its own package in `benchmarks/peers`, started as its documentation says. */

const PEERS = fileURLToPath(new URL('../../peers/', import.meta.url))

export async function startPonder({ rpcUrl, databaseUrl, deployment }: Surroundings): Promise<Indexing> {
  const port = await freePort()
  const folder = path.join(PEERS, 'ponder')
  const ponder = path.join(folder, 'node_modules/ponder/dist/esm/bin/ponder.js')
  const contestant = startContestant({
    args: [ponder, 'start', '--schema', 'ponder', '--hostname', '127.0.0.1', '--port', String(port)],
    cwd: folder,
    env: {
      RPC_URL: rpcUrl,
      DATABASE_URL: databaseUrl,
      CHAIN_ID: String(deployment.chainId),
      START_BLOCK: String(deployment.startBlock),
      LAUNCHPAD: deployment.launchpad,
      WETH: deployment.weth,
      PONDER_TELEMETRY_DISABLED: '1',
      NODE_ENV: 'production',
    },
  })
  const url = `http://127.0.0.1:${port}`
  const indexedBlock = async () => {
    const status = (await jsonOf(`${url}/status`)) as Readonly<
      Record<string, { readonly block: { readonly number: number } | null }>
    > | null
    return status?.['chain']?.block?.number ?? null
  }
  return indexingOf(contestant, url, indexedBlock)
}

/** Envio's HyperIndex over JSON-RPC, without Hasura. */
export async function startEnvio({ rpcUrl, databaseUrl, deployment }: Surroundings): Promise<Indexing> {
  const port = await freePort()
  const folder = fileURLToPath(ENVIO_INDEXER)
  await configureEnvio({ rpcUrl, launchpad: deployment.launchpad })
  const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl)
  const contestant = startContestant({
    args: [path.join(folder, 'generated/src/Index.res.js')],
    cwd: folder,
    env: {
      TUI_OFF: 'true',
      LOG_LEVEL: 'warn',
      ENVIO_HASURA: 'false',
      ENVIO_INDEXER_PORT: String(port),
      ENVIO_PG_HOST: hostname,
      ENVIO_PG_PORT: databasePort,
      ENVIO_PG_USER: username,
      ENVIO_PG_PASSWORD: password,
      ENVIO_PG_DATABASE: pathname.slice(1),
      ENVIO_WETH: deployment.weth,
    },
  })
  const url = `http://127.0.0.1:${port}`
  return indexingOf(contestant, url, () => metricOf(`${url}/metrics`, 'envio_progress_block_number'))
}

/** SQD's evm-processor with its TypeORM store. */
export async function startSqd({ rpcUrl, databaseUrl, deployment }: Surroundings): Promise<Indexing> {
  const port = await freePort()
  const folder = path.join(PEERS, 'sqd')
  const contestant = startContestant({
    args: [path.join(folder, 'lib/main.js')],
    cwd: folder,
    env: {
      RPC_URL: rpcUrl,
      DB_URL: databaseUrl,
      START_BLOCK: String(deployment.startBlock),
      LAUNCHPAD: deployment.launchpad,
      WETH: deployment.weth,
      PROMETHEUS_PORT: String(port),
      SQD_INFO: 'none',
      NODE_ENV: 'production',
    },
  })
  const url = `http://127.0.0.1:${port}`
  return indexingOf(contestant, url, () => metricOf(`${url}/metrics`, 'sqd_processor_last_block'))
}

/** @param indexedBlock `null`: none yet */
function indexingOf(contestant: Contestant, url: string, indexedBlock: () => Promise<number | null>): Indexing {
  return {
    contestant,
    url,
    indexed: async block => {
      await contestant.until(async () => ((await indexedBlock()) ?? -1) >= block || null, POLL_MS)
    },
    stop: () => contestant.stop(),
  }
}

/** A sample of Prometheus metrics, with or without labels. */
async function metricOf(url: string, name: string): Promise<number | null> {
  const response = await fetch(url).catch(() => null)
  const text = response?.ok === true ? await response.text() : ''
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(text)?.[1]
  return value === undefined ? null : Number(value)
}
