import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { link, mkdir, open, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'

/** The content of the file: 32 random bytes in base64url and a line break. */
const WELL_FORMED = /^([\w-]{43})\n?$/
const FILE_BYTES = 44
const MODE_OF_OTHERS = 0o077

export function operatorTokenFile(dataDir: string): string {
  return path.join(dataDir, 'operator-token')
}

/**
 * Reads the token of an earlier start, which stays valid. Replaces any other file in its place by one with a new token, which only the user
 * of this process can read. Rejects when the file can't be written.
 */
export async function readOrMakeToken(file: string): Promise<string> {
  const found = await readToken(file)
  if (found !== null) return found
  await mkdir(path.dirname(file), { recursive: true })
  const token = randomBytes(32).toString('base64url')
  const draft = `${file}.${randomBytes(8).toString('hex')}.tmp`
  try {
    await writeDraft(draft, token)
    try {
      await link(draft, file) // fails if the file exists
      return token
    } catch {
      // Another process may have made the file first. Both then use its token.
      const others = await readToken(file)
      if (others !== null) return others
      await rename(draft, file) // replaces a symbolic link instead of following it
      return token
    }
  } finally {
    await rm(draft, { force: true })
  }
}

async function writeDraft(draft: string, token: string): Promise<void> {
  const handle = await open(draft, 'wx', 0o600)
  try {
    await handle.writeFile(`${token}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The token of a regular file that belongs to this user and that no other user may access; `null`: there is none. */
async function readToken(file: string): Promise<string | null> {
  // This follows no symbolic link and waits for no pipe.
  const handle = await open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(() => null)
  if (handle === null) return null
  try {
    const { uid, mode, size } = await handle.stat().then(found => (found.isFile() ? found : { uid: -1, mode: 0, size: 0 }))
    if (uid !== process.getuid?.() || (mode & MODE_OF_OTHERS) !== 0 || size > FILE_BYTES) return null
    return WELL_FORMED.exec(await handle.readFile('utf8'))?.[1] ?? null
  } finally {
    await handle.close()
  }
}
