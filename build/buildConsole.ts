import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { precompress } from './precompress.ts'
import { sourceStamp } from './sourceStamp.ts'

/*
 * Builds the console into dist/console, with a gzip and a brotli copy of each file. With --if-stale it does so only when a source
 * has changed.
 */

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const OUTPUT = path.join(ROOT, 'dist/console')
/** Holds a hash of the sources. The gateway does not serve files of this type. */
const STAMP = 'source.stamp'
const SOURCES = ['build', 'src/console', 'src/client', 'src/protocol', 'src/async', 'src/domain', 'package-lock.json']

const stamp = await sourceStamp(ROOT, SOURCES)
const isFresh = process.argv.includes('--if-stale') && (await builtFrom()) === stamp
if (!isFresh) await buildConsole()

async function builtFrom(): Promise<string | null> {
  try {
    return await readFile(path.join(OUTPUT, STAMP), 'utf8')
  } catch {
    return null
  }
}

/** Builds into another folder and renames it at the end: a service that starts meanwhile must not find an incomplete console. */
async function buildConsole(): Promise<void> {
  // Packages choose their build by it, and a test that starts this script sets another value.
  process.env['NODE_ENV'] = 'production'
  // Loaded late, because loading the bundler takes longer than the check of the sources.
  const [{ build }, { default: preact }] = await Promise.all([import('vite'), import('@preact/preset-vite')])
  const folder = path.join(ROOT, `dist/.console-${process.pid}`)
  const outgoing = `${folder}-outgoing`
  try {
    await build({
      configFile: false,
      root: path.join(ROOT, 'src/console'),
      // Relative addresses, because the path prefix is known only at run time.
      base: './',
      logLevel: 'error',
      plugins: [preact({ devToolsEnabled: false })],
      build: {
        outDir: folder,
        emptyOutDir: true,
        target: 'es2022',
        // The page's policy forbids inlined assets and the inline script of the polyfill.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
      },
    })
    await precompress(folder)
    await writeFile(path.join(folder, STAMP), stamp)
    await mkdir(path.dirname(OUTPUT), { recursive: true })
    await rename(OUTPUT, outgoing).catch(() => undefined)
    await rename(folder, OUTPUT)
  } finally {
    await rm(folder, { recursive: true, force: true })
    await rm(outgoing, { recursive: true, force: true })
  }
}
