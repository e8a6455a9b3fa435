const { existsSync } = require('node:fs')

/*
 * `npm ci` runs this. Nothing is generated without development packages, or in a Node that does not run TypeScript: what is built or tested
 * generates it then.
 */

if (process.features.typescript && existsSync('node_modules/vitest')) {
  void import('./generate.ts').then(({ generateIfStale }) => generateIfStale())
}
