import { execFile } from 'node:child_process'
import { access, constants } from 'node:fs/promises'

/** The end of a program of the host. */
export interface CommandEnd {
  /** Its exit code; undefined when it could not be started, or a signal ended it. */
  readonly code: number | undefined
  readonly stdout: string
  /** The last line of its output, for people. */
  readonly said: string
}

// The unit of the agent leaves out the folders of system programs.
const PATH = '/usr/sbin:/usr/bin:/sbin:/bin'
const TIMEOUT_MS = 30_000
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024

/** Runs a program of the host to its end, without a shell. Never throws. */
export function hostCommand(program: string, ...args: readonly string[]): Promise<CommandEnd> {
  const options = { env: { PATH, LC_ALL: 'C' }, timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, cwd: '/' }
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : undefined
      const said = (stderr || stdout).trim().split('\n').at(-1) ?? ''
      resolve({ code, stdout, said: said || (error?.message ?? '') })
    })
  })
}

/** The path of a system program; undefined when the host has none. */
export async function systemProgram(name: string): Promise<string | undefined> {
  for (const folder of PATH.split(':')) {
    const path = `${folder}/${name}`
    const isThere = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return path
  }
  return undefined
}
