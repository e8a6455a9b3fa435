import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import path from 'node:path'

/* Where files of this package are that no module imports. The bundled service has the modules elsewhere, and the files where they were. */

const DESCRIPTION = findPackageJSON(import.meta.url) ?? 'package.json'
const FOLDER = path.dirname(DESCRIPTION)

export const { version: VERSION } = JSON.parse(readFileSync(DESCRIPTION, 'utf8')) as { readonly version: string }

/** The path of a file or a folder of the package. */
export function packagePath(relative: string): string {
  return path.join(FOLDER, relative)
}

/** A script for a thread, in the folder of a module: TypeScript beside sources, JavaScript beside a bundle. */
export function scriptBeside(moduleUrl: string, name: string): URL {
  return new URL(`./${name}${path.extname(moduleUrl)}`, moduleUrl)
}
