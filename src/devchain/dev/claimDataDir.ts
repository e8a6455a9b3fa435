import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

/**
 * Makes this process the only development chain of a data folder, until it ends, however it ends: it listens on a socket that is named for
 * the folder. A second one would delete the database of the first.
 *
 * @param dataDir an absolute path without links
 * @returns what gives the folder up; `null` when another process has it
 */
export async function claimDataDir(dataDir: string): Promise<(() => Promise<void>) | null> {
  const name = `tokenwire-dev-${createHash('sha256').update(dataDir).digest('hex').slice(0, 24)}`
  const address = process.platform === 'win32' ? `\\\\.\\pipe\\${name}` : path.join(tmpdir(), `${name}.sock`)
  const server = (await listen(address)) ?? (await listenInPlaceOfTheDead(address))
  if (server === null) return null
  server.unref()
  return async () => {
    server.close()
    await once(server, 'close')
  }
}

/** The socket of a process that was killed stays behind as a file that nobody answers on. */
async function listenInPlaceOfTheDead(address: string): Promise<Server | null> {
  if (await answers(address)) return null
  await rm(address, { force: true })
  return listen(address)
}

async function listen(address: string): Promise<Server | null> {
  const server = createServer(socket => socket.destroy())
  server.listen(address)
  try {
    await once(server, 'listening')
    return server
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') return null
    throw error
  }
}

async function answers(address: string): Promise<boolean> {
  const socket = connect(address)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
