/*
 * Runs before the sources and before the bundle, in any version of Node: one that does not run TypeScript says so in one sentence. The package `node`, which npm puts first in the PATH of scripts, fetches its Node 22 in an install script.
 */

if (!process.features.typescript) {
  process.stderr.write(
    `This needs Node 22.18 or newer, and this is Node ${process.versions.node}. To mend it, ` +
      'run npm rebuild node --ignore-scripts=false, which brings the Node 22 of the packages, or ' +
      'put Node 22.18 or newer first in the PATH\n',
  )
  process.exit(1)
}
