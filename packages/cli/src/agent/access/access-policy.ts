import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ACCESS_MODES, type AccessMode } from '@svc/core'

/** The policy of a host: operators' rights on it. */
export interface AccessPolicy {
  readonly modes: readonly AccessMode[]
  /**
   * Users as whom sessions may run; the first is the one of a session that names none. Empty: the agent's
   * own alone.
   */
  readonly users: readonly string[]
  /** Port of the host's SSH server. */
  readonly tcpPort: number
}

/**
 * The policy of a host, or that it takes no sessions; `fault` names the fault of its file. `isAbsent`: it has
 * none, and so has said nothing.
 */
export type PolicyReading = { readonly isAbsent?: boolean } & (
  | { readonly policy: AccessPolicy; readonly fault?: undefined }
  | { readonly policy?: undefined; readonly fault: string | undefined }
)

/** The name of the file in the state folder. */
export const POLICY_FILE = 'access.json'

const USER = /^[a-z_][a-z0-9_-]{0,31}$/
const SHARED_WRITE = 0o022

/**
 * Reads the host's policy, `access.json` of the state folder. Without a file, with a bad one, or with one
 * that others could have written, the host takes no sessions. Without a file it shows the output of its
 * applications all the same.
 */
export async function readPolicy(stateDir: string): Promise<PolicyReading> {
  const path = join(stateDir, POLICY_FILE)
  try {
    const { mode, uid } = await stat(path)
    const own = process.geteuid?.() ?? 0
    if (mode & SHARED_WRITE || (uid !== 0 && uid !== own))
      return { fault: `${path} can be written by others: chmod 0600 it` }
    return policyOf(path, JSON.parse(await readFile(path, 'utf8')) as unknown)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return { fault: undefined, isAbsent: true }
    return { fault: `${path} cannot be read (${code ?? 'it is no JSON'})` }
  }
}

function policyOf(path: string, given: unknown): PolicyReading {
  const refuse = (what: string) => ({ fault: `${path}: ${what}` })
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return refuse('expected an object')
  const {
    enabled = true,
    modes = ACCESS_MODES,
    users = [],
    tcp_port: tcpPort = 22,
  } = given as Record<string, unknown>
  if (enabled === false) return { fault: undefined }
  if (enabled !== true) return refuse('enabled must be true or false')
  if (!isListOf(modes, (each) => (ACCESS_MODES as readonly unknown[]).includes(each)))
    return refuse(`modes must be a list of ${ACCESS_MODES.join(', ')}`)
  if (!isListOf(users, (each) => typeof each === 'string' && USER.test(each)))
    return refuse('users must be a list of names')
  if (!Number.isInteger(tcpPort) || (tcpPort as number) < 1 || (tcpPort as number) > 65_535)
    return refuse('tcp_port must be a port')
  return { policy: { modes: modes as AccessMode[], users: users as string[], tcpPort: tcpPort as number } }
}

const isListOf = (value: unknown, accepts: (entry: unknown) => boolean): boolean =>
  Array.isArray(value) && value.every(accepts)
