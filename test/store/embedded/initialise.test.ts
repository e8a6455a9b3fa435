import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { initialise } from '#store/embedded/initialise.ts'
import { dataVersion, layoutOf } from '#store/embedded/serverProcess.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

/** Makes what tells a data folder, at once. */
const INITDB = `#!/bin/sh
for argument; do case "$argument" in --pgdata=*) data="\${argument#--pgdata=}" ;; esac; done
mkdir "$data" && echo 18 > "$data/PG_VERSION"
`

it('leaves one database, and no process fails, when several make it at once', async ({ onTestFinished }) => {
  const folder = await makeTemporaryFolder()
  onTestFinished(() => folder.remove())
  const initdb = join(folder.path, 'initdb')
  await writeFile(initdb, INITDB, { mode: 0o755 })
  for (let round = 0; round < 5; round++) {
    const layout = layoutOf(join(folder.path, `data-${round}`))
    await mkdir(layout.dataDir)
    // One that came first did so between another one's look and its move, as a rule in each of these rounds.
    await Promise.all(Array.from({ length: 6 }, () => initialise(layout, initdb, { kind: 'self' }, { durable: false })))
    expect(await dataVersion(layout)).toBe('18')
    expect(await readdir(layout.dataDir)).toEqual(['postgres'])
  }
})
