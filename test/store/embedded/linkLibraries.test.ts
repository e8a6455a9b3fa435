import { execFile } from 'node:child_process'
import { readdir, readlink, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { findBinaries, linkLibraries } from '#store/embedded/initialise.ts'
import { chooseServerUser } from '#store/embedded/serverProcess.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

const run = promisify(execFile)

/*
 * `npm ci --ignore-scripts` leaves out the links between the libraries. PostgreSQL did not run, and the start said that its user may not
 * enter a folder.
 */

/** A copy of the installed package, and the links in it. */
async function copyPackage() {
  const folder = await makeTemporaryFolder()
  onTestFinished(() => folder.remove())
  const native = join(folder.path, 'native')
  await run('cp', ['-a', join(dirname((await findBinaries()).postgres), '..'), native])
  const entries = await readdir(join(native, 'lib'), { withFileTypes: true })
  const links = entries.filter(entry => entry.isSymbolicLink()).map(({ name }) => join(native, 'lib', name))
  expect(links.length).toBeGreaterThan(5)
  return { folder: folder.path, links, postgres: join(native, 'bin', 'postgres'), dataDir: join(folder.path, 'data') }
}

test('a package without its links gets them, and runs', async () => {
  const { folder, links, postgres, dataDir } = await copyPackage()
  const targets = await Promise.all(links.map(link => readlink(link)))
  for (const link of links) await rm(link)
  await expect(chooseServerUser(postgres, dataDir, null)).rejects.toMatchObject({
    code: 'not_supported',
    message: expect.stringMatching(/^The embedded PostgreSQL does not run on this system.*shared librar.*set DATABASE_URL/),
  })
  // As two services that start at once.
  await Promise.all([linkLibraries(folder), linkLibraries(folder)])
  expect(await Promise.all(links.map(link => readlink(link)))).toEqual(targets)
  expect((await chooseServerUser(postgres, dataDir, null)).version).toContain('PostgreSQL')
})

test('says what to run where the links can not be made', async () => {
  const { folder } = await copyPackage()
  const lib = join(folder, 'native', 'lib')
  await rename(lib, `${lib}.away`)
  await expect(linkLibraries(folder)).rejects.toMatchObject({
    code: 'not_supported',
    message: expect.stringMatching(
      /lacks .*\/lib\/\S+, which an installation with --ignore-scripts leaves out.*ENOENT.*npm rebuild --ignore-scripts=false/,
    ),
  })
})
