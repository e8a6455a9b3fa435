import pino from 'pino'
import { startEmbedded } from '#store/embedded/startEmbedded.ts'

/*
 * A process with only an embedded database, to be killed by tests. Writes one line of JSON: the server's address, or the error. Ends
 * with its standard input.
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
