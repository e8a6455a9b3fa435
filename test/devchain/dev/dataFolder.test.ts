import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it } from 'vitest'
import { claimDataDir } from '#devchain/dev/claimDataDir.ts'
import { makeFreshFolder } from '#devchain/dev/freshFolder.ts'
import { writeFileAtomically } from '#devchain/dev/writeFileAtomically.ts'
import { makeTemporaryFolder } from '#test/support/temporaryFolder.ts'

let folder: string
beforeEach(async () => {
  folder = (await makeTemporaryFolder()).path
})

describe('claimDataDir', () => {
  it('locks a folder for one process at a time, until it is released', async () => {
    const release = await claimDataDir(folder)
    expect(release).not.toBeNull()
    expect(await claimDataDir(folder)).toBeNull()
    const other = await claimDataDir(`${folder}-other`)
    expect(other).not.toBeNull()
    await release?.()
    const again = await claimDataDir(folder)
    expect(again).not.toBeNull()
    await Promise.all([again?.(), other?.()])
  })

  it('takes the lock of a killed process', async () => {
    const module = fileURLToPath(new URL('../../../src/devchain/dev/claimDataDir.ts', import.meta.url))
    const script = `import { claimDataDir } from ${JSON.stringify(module)}
      await claimDataDir(${JSON.stringify(folder)}); setInterval(() => {}, 1000); console.log('claimed')`
    const holder = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(holder.stdout, 'data')
    expect(await claimDataDir(folder)).toBeNull()
    holder.kill('SIGKILL')
    await once(holder, 'exit')
    const release = await claimDataDir(folder)
    expect(release).not.toBeNull()
    await release?.()
  })
})

describe('makeFreshFolder', () => {
  it('empties a folder that it created', async () => {
    const data = path.join(folder, 'dev')
    await makeFreshFolder(data)
    await mkdir(path.join(data, 'postgres'))
    await writeFile(path.join(data, 'postgres', 'file'), 'old')
    await makeFreshFolder(data)
    expect(await readdir(data)).toEqual(['DELETED-AT-EACH-npm-run-dev'])
  })

  it('does not delete a folder that it did not create', async () => {
    await writeFile(path.join(folder, 'precious'), 'mine')
    await expect(makeFreshFolder(folder)).rejects.toThrow(/^DATA_DIR: .*would delete/)
    expect(await readFile(path.join(folder, 'precious'), 'utf8')).toBe('mine')
  })

  it('uses an empty folder', async () => {
    await makeFreshFolder(folder)
    expect(await readdir(folder)).toHaveLength(1)
  })
})

describe('writeFileAtomically', () => {
  it('replaces a file, readable only by its owner, and leaves no other', async () => {
    const file = path.join(folder, 'dev.json')
    await writeFile(file, 'old', { mode: 0o644 })
    await writeFileAtomically(file, 'new')
    expect(await readFile(file, 'utf8')).toBe('new')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(await readdir(folder)).toEqual(['dev.json'])
  })

  it('leaves only the old file when it fails', async () => {
    const file = path.join(folder, 'taken')
    await mkdir(path.join(file, 'below'), { recursive: true })
    await expect(writeFileAtomically(file, 'new')).rejects.toThrow()
    expect(await readdir(folder)).toEqual(['taken'])
  })
})
