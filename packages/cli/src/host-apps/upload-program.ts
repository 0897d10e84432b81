import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { parseArgs, promisify } from 'node:util'
import { MAX_UPLOAD_BYTES, Problem, readAppUpload } from '@svc/core'
import { failureOf, failureText } from '../terminal/failure.ts'
import type { Io } from '../terminal/io.ts'
import { uploadsFolder } from './apps-folder.ts'

const OPTIONS = {
  apps: { type: 'string' },
  app: { type: 'string' },
  sha: { type: 'string' },
  'max-bytes': { type: 'string' },
} as const

/** Git has no repository of hooks here, asks nobody, and looks at each object that comes. */
const takes = (maxBytes: string) =>
  [
    ['core.hooksPath', '/dev/null'],
    ['receive.fsckObjects', 'true'],
    ['receive.maxInputSize', maxBytes],
    // Clones of builders often have the newest commit alone.
    ['receive.shallowUpdate', 'true'],
    ['receive.autogc', 'false'],
  ].flatMap(([name, value]) => ['-c', `${name}=${value}`])

const SHA256_CHARS = 64

/** Takes commits of an application over standard input and output, in the protocol of `git push`. */
export async function runUpload(io: Io): Promise<void> {
  try {
    const { values } = parseArgs({ args: io.args.slice(2), options: OPTIONS })
    const { apps = '', 'max-bytes': maxBytes = String(MAX_UPLOAD_BYTES), ...given } = values
    const { app, sha } = readAppUpload(given)
    io.setExitCode(await take(io, uploadsFolder(resolve(io.cwd, apps), app), sha, maxBytes))
  } catch (error) {
    const failure = failureOf(error)
    io.err.write(failureText(failure))
    io.setExitCode(failure.exitCode)
  }
}

async function take(io: Io, folder: string, sha: string, maxBytes: string): Promise<number> {
  await mkdir(dirname(folder), { recursive: true })
  io.keepPrivate()
  const env = {
    PATH: io.env.PATH,
    HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_TERMINAL_PROMPT: '0',
  }
  if (!existsSync(folder)) await makeRepository(folder, sha, env)
  const child = spawn('git', [...takes(maxBytes), 'receive-pack', folder], { env, stdio: 'inherit' })
  const { promise, resolve: end, reject } = Promise.withResolvers<number>()
  child.once('error', () => reject(NO_GIT))
  child.once('exit', (code) => end(code ?? 1))
  return promise
}

const NO_GIT = new Problem('conflict', { detail: 'git is not on the PATH of this host: install it' })

/** Made aside and moved into place whole: two may make it at once. */
async function makeRepository(folder: string, sha: string, env: NodeJS.ProcessEnv): Promise<void> {
  const aside = await mkdtemp(`${folder}.`)
  const format = sha.length === SHA256_CHARS ? 'sha256' : 'sha1'
  const words = ['init', '--bare', '--quiet', '--template=', `--object-format=${format}`, aside]
  await promisify(execFile)('git', words, { env }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'ENOENT' ? NO_GIT : error
  })
  await rename(aside, folder).catch(async (error) => {
    await rm(aside, { recursive: true, force: true })
    if (!existsSync(folder)) throw error
  })
}
