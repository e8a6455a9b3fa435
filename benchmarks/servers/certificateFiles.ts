import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { certificate, certificateKey } from '#test/support/certificate.ts'

/** The tests' certificate as files, which uWebSockets.js requires. */
export async function certificateFiles(): Promise<{ readonly certFile: string; readonly keyFile: string }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tokenwire-tls-'))
  const files = { certFile: path.join(folder, 'cert.pem'), keyFile: path.join(folder, 'key.pem') }
  await writeFile(files.certFile, certificate)
  await writeFile(files.keyFile, certificateKey)
  return files
}
