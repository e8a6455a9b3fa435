/** What `postmaster.pid` in a data folder tells of its server (https://www.postgresql.org/docs/current/storage-file-layout.html). */
export type PostmasterFile =
  /** There is no file, or nothing in it. */
  | { readonly kind: 'none' }
  /** The file is left over: its process is gone, or its number now belongs to another program. */
  | { readonly kind: 'stale'; readonly pid: number }
  /** The server lives and is not ready yet, or is shutting down. */
  | { readonly kind: 'changing'; readonly pid: number }
  | { readonly kind: 'ready'; readonly pid: number; readonly port: number }

const PORT_LINE = 3
const STATUS_LINE = 7

/**
 * Judges the content of a `postmaster.pid`.
 *
 * @param text the file's content, `null` when there is none
 * @param isServer whether the process of that number lives and is a server of this data folder
 */
export function judgePostmasterFile(text: string | null, isServer: (pid: number) => boolean): PostmasterFile {
  const lines = (text ?? '').split('\n').map(line => line.trim())
  // A stand-alone backend writes its pid negative.
  const pid = Math.abs(Number(lines[0]))
  if (!Number.isSafeInteger(pid) || pid === 0) return { kind: 'none' }
  if (!isServer(pid)) return { kind: 'stale', pid }
  const port = Number(lines[PORT_LINE])
  if (lines[STATUS_LINE] !== 'ready' || !Number.isInteger(port) || port <= 0) return { kind: 'changing', pid }
  return { kind: 'ready', pid, port }
}
