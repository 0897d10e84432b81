import { type ChildProcess, execFile, spawn } from 'node:child_process'
import type { Duplex, Readable, Writable } from 'node:stream'
import { PassThrough } from 'node:stream'
import { promisify } from 'node:util'
import type { AccessMode, AppView } from '@svc/core'
import { Problem } from '@svc/core/client'
import { type CommandRun, given } from '../../program/command-run.ts'
import { carrySession } from '../../relay/operator-session.ts'
import { RelayRefused } from '../../relay/relay-socket.ts'
import type { Io, Output } from '../../terminal/io.ts'
import type { RawTerminal } from '../../terminal/raw-terminal.ts'
import { plain } from '../../terminal/terminal.ts'
import type { AppOptions } from './apps-show.ts'

/** The answer of `apps.upload`. */
interface Opened {
  readonly token: string
  readonly relay_url: string
  readonly mode: AccessMode
  readonly host: { readonly id: string; readonly hostname: string }
}

/** The commit of this folder, and how many files differ from it. */
interface Head {
  readonly sha: string
  readonly unsaved: number
}

/**
 * Sends the newest commit of this folder's repository to the hosts of an app; files that differ from it are
 * counted in a hint. Returns the commit.
 * @throws Problem `invalid-input` without a repository, `unavailable` when the host does not take it
 */
export async function uploadHead(run: CommandRun<AppOptions>): Promise<string> {
  const { sha, unsaved } = await headOf(run.io)
  if (unsaved > 0)
    run.hint(`${unsaved} ${unsaved === 1 ? 'file is' : 'files are'} not committed and not sent: git status`)
  const named = { app: run.arg(0), license: run.options.license }
  const { app } = await run.operate<{ app: AppView }>('apps.show', given(named))
  for (const host of app.hosts ?? [undefined]) {
    const wish = given({ ...named, sha, host: host && `fp:${host}` })
    await send(run, await run.operate<Opened>('apps.upload', wish), sha)
  }
  return sha
}

/**
 * Sends a commit of this folder's repository to a host of an app.
 * @throws Problem as `uploadHead`
 */
export async function uploadCommit(run: CommandRun<AppOptions>, sha: string, host: string): Promise<void> {
  const { cwd, env } = run.io
  const look = ['cat-file', '-e', `${sha}^{commit}`]
  await promisify(execFile)('git', look, { cwd, env: { ...env } }).catch(() => {
    throw new Problem('invalid-input', {
      detail: `the repository of this folder has no commit ${sha}: run this where it was sent from`,
    })
  })
  const wish = { app: run.arg(0), license: run.options.license, sha, host: `fp:${host}` }
  await send(run, await run.operate<Opened>('apps.upload', given(wish)), sha)
}

async function headOf({ cwd, env }: Io): Promise<Head> {
  const git = async (...words: readonly string[]) =>
    (await promisify(execFile)('git', words, { cwd, env: { ...env }, maxBuffer: MOST_STATUS })).stdout
  try {
    const sha = (await git('rev-parse', '--verify', 'HEAD^{commit}')).trim()
    const changes = await git('status', '--porcelain', '-z', '--no-renames')
    return { sha, unsaved: changes.split('\0').length - 1 }
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new Problem('invalid-input', {
      detail: isMissing
        ? 'git is not on the PATH: it packs the commit'
        : 'this folder is in no repository of git that has a commit: git init, git add, git commit',
    })
  }
}

const MOST_STATUS = 256 * 1024 * 1024

// Git starts a program that stands for the other side. This one passes bytes on, to and from this process.
const BRIDGE = `sh -c 'cat <&3 4>&- & exec cat >&4 3<&-' --`

async function send(run: CommandRun, opened: Opened, sha: string): Promise<void> {
  const { io } = run
  const { token, relay_url: relayUrl, mode, host } = opened
  const name = host.hostname || host.id
  const words = ['-c', 'push.gpgSign=false', 'send-pack', io.err.isTty ? '--progress' : '--quiet']
  const child = spawn('git', [...words, `--receive-pack=${BRIDGE}`, '.', `${sha}:refs/uploads/${sha}`], {
    cwd: io.cwd,
    env: { ...io.env, LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe', 'pipe', 'pipe'],
  })
  const said = new GitWords(run)
  child.stderr?.on('data', (data: Buffer) => said.take(data))
  const ended = endOf(child)
  const [to, from] = [child.stdio[3] as Duplex, child.stdio[4] as Duplex]
  for (const stream of [to, from]) stream.on('error', () => {})
  try {
    const session = { token, relayUrl, mode, host: name }
    const code = await carrySession(io, session, pipesOf(from, to, io.err))
    to.destroy()
    from.destroy()
    if (code === 0 && (await ended) === 0) return
  } catch (error) {
    if (error instanceof RelayRefused) throw new Problem('unavailable', { detail: error.message })
    throw error
  } finally {
    child.kill()
  }
  said.tell()
  throw new Problem('unavailable', { detail: `${name} did not take ${sha}: the lines above say why` })
}

function endOf(child: ChildProcess): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  child.once('error', () => resolve(1))
  child.once('close', (code) => resolve(code ?? 1))
  return promise
}

/** The streams of git in the place of a terminal. */
function pipesOf(input: Readable, out: Writable, errors: Output): RawTerminal {
  const err = new PassThrough()
  err.on('data', (data: Buffer) => errors.write(data.toString()))
  const nothing = () => () => {}
  return { input, out, err, isTty: false, size: () => undefined, raw: nothing, onResize: nothing }
}

const PROGRESS = /^[A-Z][a-z ]+: +\d+% /
const MOST_KEPT = 4_000
/** The shortest time between two lines of progress. */
const PROGRESS_MS = 2_000

/** The words of git, and of the host through it: progress is noted on a terminal, the rest when it fails. */
class GitWords {
  readonly #run: CommandRun
  #rest = ''
  #kept = ''
  #notedMs = 0

  constructor(run: CommandRun) {
    this.#run = run
  }

  take(data: Buffer): void {
    const lines = `${this.#rest}${data}`.split(/[\r\n]/)
    this.#rest = (lines.pop() ?? '').slice(0, MOST_KEPT)
    for (const line of lines) {
      if (PROGRESS.test(line)) this.#note(line)
      else this.#kept = `${this.#kept}${plain(line)}\n`.slice(-MOST_KEPT)
    }
  }

  tell(): void {
    this.#run.io.err.write(`${this.#kept}${plain(this.#rest)}`)
  }

  #note(line: string): void {
    const nowMs = performance.now()
    if (!this.#run.io.err.isTty || (nowMs - this.#notedMs < PROGRESS_MS && !line.includes('done'))) return
    this.#notedMs = nowMs
    this.#run.note(line)
  }
}
