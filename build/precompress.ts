import { readdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

const COMPRESSIBLE: ReadonlySet<string> = new Set(['.html', '.js', '.css', '.svg', '.txt'])

/** Writes `<name>.gz` and `<name>.br` beside each file that compression makes smaller. */
export async function precompress(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    if (!entry.isFile() || !COMPRESSIBLE.has(path.extname(entry.name))) continue
    const file = path.join(entry.parentPath, entry.name)
    const bytes = await readFile(file)
    const zipped = await promisify(gzip)(bytes, { level: constants.Z_BEST_COMPRESSION })
    const brotli = await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } })
    if (zipped.length < bytes.length) await writeFile(`${file}.gz`, zipped)
    if (brotli.length < bytes.length) await writeFile(`${file}.br`, brotli)
  }
}
