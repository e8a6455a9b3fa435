import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'

/**
 * Locks a data folder for this process until the process ends in any way, because a second `npm run dev` would delete the database
 * of the first. The lock is a listening socket named after the folder.
 *
 * @param dataDir an absolute path without links
 * @returns a function that releases the folder; `null` when another process has it
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

/** Replaces the socket file of a killed process, on which connections are refused. */
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
