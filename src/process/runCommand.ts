import process from 'node:process'
import { allowSlowConnections } from '#async/allowSlowConnections.ts'
import { ADAPTER_KINDS } from '#launchpads/registry.ts'
import { check } from './check.ts'

/** Runs `npm start` with arguments. Returns the exit code. */
export async function runCommand(args: readonly string[]): Promise<number> {
  if (args.length !== 1 || args[0] !== 'check') {
    process.stderr.write('usage: npm start, or npm start -- check, which tells what a start would find\n')
    return 1
  }
  allowSlowConnections()
  return check(process.env, { cwd: process.cwd(), knownAdapters: ADAPTER_KINDS }, line => process.stdout.write(`${line}\n`))
}
