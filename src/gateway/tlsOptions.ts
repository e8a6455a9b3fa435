import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Config } from '#config'
import { TokenwireError } from '#errors'

/**
 * What `SSLApp` takes, after a look at the files: it accepts anything and then fails every handshake.
 *
 * @throws `TokenwireError` with code `config_invalid` that names the variable
 */
export function tlsOptions({ certFile, keyFile }: NonNullable<Config['tls']>): {
  readonly cert_file_name: string
  readonly key_file_name: string
} {
  const certificate = parse('TLS_CERT_FILE', certFile, 'a certificate in PEM', pem => new X509Certificate(pem))
  const key = parse('TLS_KEY_FILE', keyFile, 'an unencrypted private key in PEM', pem => createPrivateKey(pem))
  if (!certificate.checkPrivateKey(key))
    throw new TokenwireError('config_invalid', 'TLS_KEY_FILE is not the key of the certificate in TLS_CERT_FILE')
  return { cert_file_name: certFile, key_file_name: keyFile }
}

function parse<T>(variable: string, file: string, expected: string, parser: (pem: Buffer) => T): T {
  let pem: Buffer
  try {
    pem = readFileSync(file)
  } catch (cause) {
    throw new TokenwireError('config_invalid', `${variable} must be a readable file, got ${file}`, { cause })
  }
  try {
    return parser(pem)
  } catch (cause) {
    throw new TokenwireError('config_invalid', `${variable} must hold ${expected}`, { cause })
  }
}
