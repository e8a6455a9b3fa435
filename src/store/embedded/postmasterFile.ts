/** The state of a data folder's server by its `postmaster.pid` (https://www.postgresql.org/docs/current/storage-file-layout.html). */
export type PostmasterFile =
  /** No file, or an empty one. */
  | { readonly kind: 'none' }
  /** The file is left over: its process has ended, or another program has its pid now. */
  | { readonly kind: 'stale'; readonly pid: number }
  /** The server is starting or shutting down. */
  | { readonly kind: 'changing'; readonly pid: number }
  | { readonly kind: 'ready'; readonly pid: number; readonly port: number }

const PORT_LINE = 3
const STATUS_LINE = 7

/**
 * @param text the file's content; `null`: there is no file
 * @param isServer whether the process of a pid is a running server of this data folder
 */
export function judgePostmasterFile(text: string | null, isServer: (pid: number) => boolean): PostmasterFile {
  const lines = (text ?? '').split('\n').map(line => line.trim())
  // A stand-alone backend writes its pid as a negative number.
  const pid = Math.abs(Number(lines[0]))
  if (!Number.isSafeInteger(pid) || pid === 0) return { kind: 'none' }
  if (!isServer(pid)) return { kind: 'stale', pid }
  const port = Number(lines[PORT_LINE])
  if (lines[STATUS_LINE] !== 'ready' || !Number.isInteger(port) || port <= 0) return { kind: 'changing', pid }
  return { kind: 'ready', pid, port }
}
