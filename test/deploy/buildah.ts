import { execFile, spawn } from 'node:child_process'
import { copyFile, cp, mkdir, realpath, writeFile } from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'

/** The base image of the Dockerfile, under its name. */
export const BASE = 'docker.io/library/node:22-bookworm-slim'

const run = promisify(execFile)
/** Programs that the Dockerfile's commands use. */
const PROGRAMS = ['/bin/sh', '/bin/rm', '/usr/bin/env', '/usr/bin/find']

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

  /** An image with this machine's Node, npm and the few programs that the Dockerfile needs, under the name of the official one. */
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
    const npm = path.join(path.dirname(await realpath((await run('which', ['npm'])).stdout.trim())), '..')
    await cp(npm, path.join(root, 'usr/lib/npm'), { recursive: true })
    await writeFile(path.join(root, 'usr/bin/npm'), '#!/bin/sh\nexec node /usr/lib/npm/bin/npm-cli.js "$@"\n', { mode: 0o755 })
    await Promise.all(['etc', 'tmp', 'root'].map(name => mkdir(path.join(root, name), { recursive: true })))
    await writeFile(path.join(root, 'etc/passwd'), 'root:x:0:0::/root:/bin/sh\n')
    await this.do('umount', container)
    await this.do('commit', '--rm', '--quiet', container, BASE)
  }

  /**
   * Builds the Dockerfile. What its first stage builds is what this checkout has built: that stage needs all development packages.
   *
   * @param folder for the files of that stage
   */
  async build(tag: string, folder: string): Promise<void> {
    const built = path.join(folder, 'build')
    for (const name of ['package.json', 'LICENSE', 'dist', 'deploy']) await cp(name, path.join(built, name), { recursive: true })
    const cache = (
      await run('npm', ['config', 'get', 'cache'], { env: { PATH: process.env['PATH'], HOME: process.env['HOME'] } })
    ).stdout.trim()
    const options = ['--isolation', 'chroot', '--pull-never', '--format', 'docker', '--build-context', `build=${folder}`]
    await this.do('bud', ...options, '--volume', `${cache}:/root/.npm`, '--tag', tag, '.')
  }
}
