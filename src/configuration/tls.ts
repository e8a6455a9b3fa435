import path from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Config } from '#config'
import { type ReadFile, readIfPresent } from './environment.ts'
import { anyText, type SettingReader } from './settings.ts'

/** `TLS_CERT_FILE` and `TLS_KEY_FILE`: both or none, readable, and a pair. */
export function readTls(reader: SettingReader, cwd: string, readFile: ReadFile): Config['tls'] {
  const certFile = reader.optional('TLS_CERT_FILE', anyText, null)
  const keyFile = reader.optional('TLS_KEY_FILE', anyText, null)
  if (certFile === null && keyFile === null) return null
  if (certFile === null || keyFile === null) {
    const [missing, other] = certFile === null ? ['TLS_CERT_FILE', 'TLS_KEY_FILE'] : ['TLS_KEY_FILE', 'TLS_CERT_FILE']
    reader.refuse(`${missing}: missing, expected a PEM file, as ${other} is set`)
    return null
  }
  const tls = { certFile: path.resolve(cwd, certFile), keyFile: path.resolve(cwd, keyFile) }
  const cert = readPem(reader, 'TLS_CERT_FILE', tls.certFile, readFile)
  const key = readPem(reader, 'TLS_KEY_FILE', tls.keyFile, readFile)
  if (cert !== null && key !== null && !isPair(cert, key)) {
    reader.refuse('TLS_CERT_FILE, TLS_KEY_FILE: expected a PEM certificate and its PEM key without a passphrase')
  }
  return tls
}

function readPem(reader: SettingReader, name: string, file: string, readFile: ReadFile): string | null {
  const read = readIfPresent(file, readFile)
  if ('text' in read && read.text !== null) return read.text
  reader.refuse(`${name}: expected a PEM file, but ${'problem' in read ? read.problem : `${file} does not exist`}`)
  return null
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
