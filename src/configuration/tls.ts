import path from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Config } from '#config'
import { type FileReading, readIfPresent } from './environment.ts'

/** The PEM files of `TLS_CERT_FILE` and `TLS_KEY_FILE`: both or none, readable, and a pair. */
export function readTls(certFile: string | null, keyFile: string | null, { cwd, readFile, problems }: FileReading): Config['tls'] {
  if (certFile === null && keyFile === null) return null
  if (certFile === null || keyFile === null) {
    const [missing, other] = certFile === null ? ['TLS_CERT_FILE', 'TLS_KEY_FILE'] : ['TLS_KEY_FILE', 'TLS_CERT_FILE']
    problems.push(`${missing}: missing, expected a PEM file, as ${other} is set`)
    return null
  }
  const readPem = (name: string, file: string): string | null => {
    const read = readIfPresent(file, readFile)
    if (read.kind === 'text') return read.text
    problems.push(`${name}: expected a PEM file, but ${read.kind === 'missing' ? `${file} does not exist` : read.problem}`)
    return null
  }
  const tls = { certFile: path.resolve(cwd, certFile), keyFile: path.resolve(cwd, keyFile) }
  const cert = readPem('TLS_CERT_FILE', tls.certFile)
  const key = readPem('TLS_KEY_FILE', tls.keyFile)
  if (cert !== null && key !== null && !isPair(cert, key)) {
    problems.push('TLS_CERT_FILE, TLS_KEY_FILE: expected a PEM certificate and its PEM key without a passphrase')
  }
  return tls
}

function isPair(cert: string, key: string): boolean {
  if (cert.trim() === '' || key.trim() === '') return false
  try {
    createSecureContext({ cert, key })
    return true
  } catch {
    return false
  }
}
