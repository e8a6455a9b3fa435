import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { buildFolder } from './buildFolder.ts'
import { EXTERNAL } from './external.ts'
import { ROOT } from './root.ts'
import { bundledCommands } from './serverFolder.ts'

/*
 * Bundles the service into dist/service: main.js and the service that it starts, the script of its thread, the commands, and what they share. It starts with a third of the processor
 * time of the sources, of which Node.js finds, reads and strips of types 1,100 modules one by one.
 */

await buildFolder({
  name: 'service',
  sources: ['build', 'src', 'actors', 'package.json', 'package-lock.json'],
  build: async folder => {
    const { rolldown } = await import('rolldown')
    const commands = [...(await bundledCommands()).values()].filter(source => source.startsWith('commands/'))
    const input = {
      service: 'src/main.ts',
      indexingThread: 'src/worker/indexingThread.ts',
      ...Object.fromEntries(commands.map(source => [source, `src/${source}.ts`])),
    }
    const bundle = await rolldown({ cwd: ROOT, input, platform: 'node', external: EXTERNAL })
    await bundle.write({ dir: folder, format: 'esm' })
    await bundle.close()
    // By itself: an older Node would refuse the imports of the bundle before anything runs.
    const first = await Promise.all(['requireNode', 'endEarly'].map(name => readFile(path.join(ROOT, `src/${name}.cjs`), 'utf8')))
    // A server has no packages that bring a Node.
    const lines = first
      .join('\n')
      .split('\n')
      .filter(line => !line.includes('npm rebuild node'))
    await writeFile(path.join(folder, 'main.js'), `${lines.join('\n')}\nawait import('./service.js')\n`)
  },
})
