import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { TEST_LIMIT_MS } from './test/support/limits.ts'

/**
 * Files that `npm test` leaves to `npm run test:slow`: storms, outages, browsers, proxies and message servers, compilers, growth, launchpads'
 * own contracts, and deployments of several processes. The longest come first: one of them at the end would keep the other workers waiting.
 */
export const SLOW = [
  'client/platforms',
  'store/migrations/goBack',
  'store/growth',
  'endToEnd/failover',
  'devchain/dev',
  'store/embedded/startEmbedded',
  'endToEnd/documentedPrograms',
  'console/live',
  'endToEnd/editedLaunchpads',
  'store/migrations/migrate',
  'console/token',
  'benchmarks/hotPaths',
  'endToEnd/carrierStorm',
  'endToEnd/deepReorg',
  'console/rows',
  'bus/nats*',
  'sync/faults',
  'endToEnd/kills',
  'devchain/traders',
  'deploy/image',
  'endToEnd/faults',
  'endToEnd/upgrade',
  'endToEnd/gateways',
  'build/release',
  'benchmarks/budget',
  'launchpads/adapters/zoraCoins',
  'console/market',
  'endToEnd/factories',
  'endToEnd/interruptedStart',
  'sync/syncWithDatabase',
  'endToEnd/rollingRestart',
  'bus/notifyFeed',
  'client/*xamples',
  'endToEnd/start',
  'endToEnd/switchedSchema',
  'sync/syncOnAnvil',
  'rpc/weakProviders',
  'store/connection/requireDatabase',
  'launchpads/adapters/flaunch',
  'endToEnd/reorg',
  'endToEnd/silence',
  'jobs/lpFees/lpFeeRefresher',
  'endToEnd/gatewayProcesses',
  'console/*',
  'bus/replicaFeed',
  'worker/watchedMeanwhile',
  'launchpads/adapters/wow*',
  'jobs/webhooks/webhooks',
  'store/embedded/*',
  'devchain/contracts/*',
  'store/migrations/*',
  'client/anyUse',
  'benchmarks/*',
  'commands/*',
  'process/check',
  'deploy/*',
  'worker/followedKeeper',
  'worker/changingIndex',
  'store/switchSchema',
  'sync/changedLaunchpads',
  'endToEnd/indexingThread',
  'endToEnd/shutdown',
  'endToEnd/echoedSecrets',
  'endToEnd/webhooks',
  'gateway/listening/nginx',
  'sync/revaluation',
  'sync/forkTrees',
  'sync/earlyMarkets',
  'store/reads/tradePlans',
  'store/connection/pgBouncer',
  'store/connection/managedServices',
  'store/connection/foreignSettings',
  'store/connection/sessionLock',
  'store/connection/silence',
  'endToEnd/environmentProxy',
  'endToEnd/marketData*',
  'endToEnd/metadata',
  'gateway/realtime/slowReader',
  'gateway/realtime/slowEventStream',
  'gateway/realtime/stalledChannelReaders',
  'launchpads/mapping/reference',
  'store/reads/skewedPlans',
  'store/rows/windowRows',
  'worker/openKeptLogs',
  'telemetry/spelledSecrets',
  'rpc/slowProviders',
  'build/requireNode',
  'sync/fallingTimes',
  'sync/distantDatabase',
  'client/package',
  'launchpads/adapters/clanker*',
  'launchpads/pools/quoteRoutes',
  'launchpads/directory/knownSources',
  'launchpads/mapping/pads',
  'launchpads/mapping/poolPads',
].map(name => `test/${name}.test.ts`)

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const patterns = SLOW.map(name => new RegExp(`/${name.replaceAll('.', '\\.').replaceAll('*', '[^/]*')}$`))
    const place = ({ moduleId, project }: TestSpecification) => {
      const index = patterns.findIndex(pattern => pattern.test(moduleId))
      if (index >= 0) return index
      return project.name === 'slow' ? SLOW.length : SLOW.length + 1
    }
    const sorted = await super.sort(files)
    return sorted.toSorted((a, b) => place(a) - place(b))
  }
}

/** They replace modules, which would stay replaced for the files after them. */
export const MOCKING = ['test/actors/unknownTokens.test.ts', 'test/console/chartMarkers.test.ts', 'test/tables/tokenColumns.test.ts']

export const EACH = {
  runner: 'test/support/patientRunner.ts',
  setupFiles: ['test/support/eachFile.ts'],
  testTimeout: TEST_LIMIT_MS,
  hookTimeout: TEST_LIMIT_MS,
  provide: { patienceMs: 10_000, testPatienceMs: 60_000 },
}

/** Browsers, compilers and other services take their time, also on a quiet machine. */
const SLOWLY = { provide: { patienceMs: 60_000, testPatienceMs: TEST_LIMIT_MS } }

export default defineConfig({
  test: {
    globalSetup: ['test/support/globalSetup.ts'],
    sequence: { sequencer: LongestFirst },
    retry: 0,
    maxWorkers: 3,
    maxConcurrency: 3,
    projects: [
      // A worker runs many files with the modules loaded once: a third of the processor time of the run was loading them for each file.
      { test: { ...EACH, name: 'fast', include: ['test/**/*.test.ts'], exclude: [...MOCKING, ...SLOW], isolate: false } },
      { test: { ...EACH, ...SLOWLY, name: 'slow', include: SLOW, exclude: MOCKING, isolate: false } },
      { test: { ...EACH, name: 'mocking', include: MOCKING } },
    ],
  },
})
