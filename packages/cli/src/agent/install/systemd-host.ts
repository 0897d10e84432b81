import { execFile } from 'node:child_process'
import { realpath, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { Problem } from '@svc/core'

const run = promisify(execFile)

/** The oldest systemd that knows credentials (`LoadCredential=`). */
const OLDEST_SYSTEMD = 247

/** Ends with the exit code of a command; undefined when there is no such command. */
async function codeOf(program: string, args: readonly string[]): Promise<number | undefined> {
  try {
    await run(program, [...args])
    return 0
  } catch (error) {
    const { code } = error as { code?: unknown }
    return typeof code === 'number' ? code : undefined
  }
}

/** Whether a command ends with 0. */
export const succeeds = async (program: string, ...args: readonly string[]): Promise<boolean> =>
  (await codeOf(program, args)) === 0

/**
 * Runs a command of the installation.
 * @throws Problem `conflict` with the last line of its output
 */
export async function mustRun([program = '', ...args]: readonly string[]): Promise<void> {
  try {
    await run(program, args)
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string }
    const why = stderr.trim().split('\n').at(-1) || message
    throw new Problem('conflict', { detail: `${[program, ...args].join(' ')} failed: ${why}` })
  }
}

/**
 * Checks that systemd runs this machine's services, and that this process is root's.
 * @throws Problem `forbidden` without root, `conflict` without systemd or with one that is too old
 */
export async function demandSystemd(isRoot: boolean, task: string): Promise<void> {
  if (!isRoot) {
    throw new Problem('forbidden', {
      detail: `svc agent ${task} needs root: run it with sudo, or look at its steps with --dry-run`,
    })
  }
  if (!(await isFolder('/run/systemd/system'))) {
    throw new Problem('conflict', {
      detail:
        'systemd does not run on this machine: let its own service manager run svc agent run, or prepare an image with --root DIR',
    })
  }
  const { stdout } = await run('systemctl', ['--version'])
  const version = Number(/^systemd (\d+)/.exec(stdout)?.[1])
  if (version >= OLDEST_SYSTEMD) return
  throw new Problem('conflict', {
    detail: `systemd ${version} knows no credentials: the agent needs systemd ${OLDEST_SYSTEMD} or newer`,
  })
}

/**
 * Checks that this machine has nft, whose rules lead visitors to applications.
 * @throws Problem `conflict` without it
 */
export async function demandNft(): Promise<void> {
  if ((await codeOf('nft', ['--version'])) === 0) return
  throw new Problem('conflict', {
    detail: 'applications need the program nft: install the package nftables, then run this again',
  })
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true
}

/**
 * Checks that every user may run a program: the agent is not root's.
 * @throws Problem `invalid-input` when the program is not there, or lies below a folder that is closed
 */
export async function demandOpenProgram(path: string): Promise<void> {
  const real = await realpath(path).catch(() => path)
  for (let at = real; ; at = dirname(at)) {
    const found = await stat(at).catch(() => undefined)
    if (found === undefined || (found.mode & 0o001) === 0) {
      throw new Problem('invalid-input', {
        detail: `other users cannot run ${path} (see ${at}): install Node for all users, or name one with --node`,
      })
    }
    if (at === dirname(at)) return
  }
}
