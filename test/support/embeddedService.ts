import pino from 'pino'
import { startEmbedded } from '#store/embedded/embedded.ts'

/*
 * A service that has nothing but an embedded database, as a process of its own, to be killed. Writes one line of JSON: where the server is, or
 * what went wrong. Ends when its standard input does.
 */
const [dataDir = ''] = process.argv.slice(2)
process.stdin.on('end', () => process.exit())
process.stdin.resume()
try {
  const { url, pid, found } = await startEmbedded({ dataDir, logger: pino({ level: 'silent' }) })
  process.stdout.write(`${JSON.stringify({ url, pid, found })}\n`)
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: error instanceof Error ? error.message : String(error) })}\n`)
  process.exitCode = 1
  process.stdin.destroy()
}
