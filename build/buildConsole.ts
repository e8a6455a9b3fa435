import path from 'node:path'
import { buildFolder } from './buildFolder.ts'
import { precompress } from './precompress.ts'
import { ROOT } from './root.ts'

/* Builds the console into dist/console, with a gzip and a brotli copy of each file. */

await buildFolder({
  name: 'console',
  sources: ['build', 'src/console', 'src/client', 'src/protocol', 'src/async', 'src/domain', 'package-lock.json'],
  build: async folder => {
    // Packages choose their build by it, and a test that starts this script sets another value.
    process.env['NODE_ENV'] = 'production'
    // Loaded late, because loading the bundler takes longer than the check of the sources.
    const [{ build }, { default: preact }] = await Promise.all([import('vite'), import('@preact/preset-vite')])
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
  },
})
