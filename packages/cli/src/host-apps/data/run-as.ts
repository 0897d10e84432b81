import { spawn } from 'node:child_process'
import { Problem } from '@svc/core'

const WORDS = 600
const MAX_CHARS = 4_000_000

/** A program that runs as a user of the host. */
export interface RunAs {
  /** A user that is made for this run alone when none is named. */
  readonly user?: string
  readonly command: readonly string[]
  /** Its standard input. */
  readonly input?: string
  /** Open files that take the place of its standard input and output. */
  readonly from?: number
  readonly to?: number
  /** A file of root's that it reads in the folder `$CREDENTIALS_DIRECTORY`, `NAME:PATH`. */
  readonly credential?: string
  /** Folders that stand at another place for it, `FOLDER:PLACE`. */
  readonly binds?: readonly string[]
  /** Folders that it may write to. */
  readonly writes?: readonly string[]
  /** Properties of its unit in place of the walls: for programs that walls keep from their work. */
  readonly properties?: readonly string[]
}

const WALLS = [
  'ProtectSystem=strict',
  'ProtectHome=yes',
  'PrivateTmp=yes',
  'PrivateDevices=yes',
  'PrivateNetwork=yes',
  'NoNewPrivileges=yes',
  'CapabilityBoundingSet=',
]

/**
 * Runs a program as a user without privileges, apart from this process: one that has begun comes to its end
 * also when this process does not. Returns its output.
 * @throws Problem `conflict` with its last lines
 */
export async function runAs({
  user,
  command,
  input,
  from,
  to,
  credential,
  binds = [],
  writes = [],
  properties: own = WALLS,
}: RunAs): Promise<string> {
  const properties = [
    user === undefined ? 'DynamicUser=yes' : `User=${user}`,
    ...(credential === undefined ? [] : [`LoadCredential=${credential}`]),
    ...own,
    'Environment=LC_ALL=C.UTF-8',
    ...binds.map((bind) => `BindPaths=${bind}`),
    ...(writes.length === 0 ? [] : [`ReadWritePaths=${writes.join(' ')}`]),
  ]
  const words = [
    '--quiet',
    '--wait',
    '--pipe',
    '--collect',
    ...properties.map((each) => `--property=${each}`),
  ]
  const child = spawn('systemd-run', [...words, '--', ...command], {
    stdio: [from ?? 'pipe', to ?? 'pipe', 'pipe'],
  })
  const texts = { out: '', err: '' }
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    texts.out = (texts.out + text).slice(-MAX_CHARS)
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    texts.err = (texts.err + text).slice(-WORDS)
  })
  child.stdin?.on('error', () => {})
  child.stdin?.end(input ?? '')
  const { promise, resolve, reject } = Promise.withResolvers<number | null>()
  child.once('error', reject)
  child.once('close', (code) => resolve(code))
  const code = await promise
  if (code === 0) return texts.out
  const program = command[0]?.split('/').at(-1) ?? ''
  throw new Problem('conflict', { detail: `${program} ended with exit code ${code}: ${texts.err.trim()}` })
}
