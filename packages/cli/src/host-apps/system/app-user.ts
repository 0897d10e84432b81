import { createHash } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fchownSync,
  mkdirSync,
  openSync,
  readFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Problem } from '@svc/core'
import { SYSTEM } from './places.ts'
import { ran } from './systemctl.ts'
import { stateFolder } from './unit-text.ts'

/** The user of an application. */
export interface AppUser {
  readonly name: string
  readonly uid: number
  readonly gid: number
}

const LETTERS = 'abcdefghijklmnopqrstuvwxyz234567'
const NAME_CHARS = 10

/** Returns a short name for a user: a prefix, and ten characters of the digest of a longer name. */
export const shortUser = (prefix: string, name: string): string =>
  `${prefix}-${[...createHash('sha256').update(name).digest().subarray(0, NAME_CHARS)].map((byte) => LETTERS[byte % LETTERS.length]).join('')}`

/** The name of an application's user. */
export const appUserName = (app: string): string => shortUser('sa', app)

/** The line of a user of this host itself, as all of ours are; undefined for others. */
const lineOf = (name: string): string | undefined =>
  readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith(`${name}:`))

/** Returns the ids of a user; undefined when there is none of this name. */
export async function idsOf(name: string): Promise<AppUser | undefined> {
  const line = lineOf(name) ?? (await ran('getent', 'passwd', name).catch(() => ''))
  const [, , uid, gid] = line.trim().split(':')
  return uid === undefined || gid === undefined ? undefined : { name, uid: Number(uid), gid: Number(gid) }
}

/** Returns a user without privileges that nobody logs in as, and makes it when there is none. */
export async function systemUser(name: string, words: string, home: string): Promise<AppUser> {
  const known = await idsOf(name)
  if (known !== undefined) return known
  await ran('systemd-sysusers', '--inline', `u ${name} - "${words}" ${home}`)
  const made = await idsOf(name)
  if (made !== undefined) return made
  throw new Problem('conflict', { detail: `systemd-sysusers made no user ${name}` })
}

/** The files that give users further ids, for the users of their containers. */
const RANGE_FILES = ['/etc/subuid', '/etc/subgid']
const RANGE = 65_536
const FIRST_RANGE = 524_288
const LAST_RANGE = 4_000_000_000

/** Gives a user ids for the users of its containers, which nobody else has. It may have them already. */
export async function admitRanges({ name }: AppUser): Promise<void> {
  const lines = RANGE_FILES.flatMap((path) =>
    existsSync(path) ? readFileSync(path, 'utf8').split('\n') : [],
  )
  const ranges = lines.map((line) => line.split(':'))
  if (ranges.filter(([user]) => user === name).length === RANGE_FILES.length) return
  const ends = ranges.map(([, first, count]) => Number(first) + Number(count)).filter(Number.isSafeInteger)
  const first = Math.max(FIRST_RANGE, ...ends)
  if (first > LAST_RANGE)
    throw new Problem('conflict', { detail: `${RANGE_FILES[0]} has no free range of ids` })
  const range = `${first}-${first + RANGE - 1}`
  await ran('usermod', '--add-subuids', range, '--add-subgids', range, name)
}

/**
 * Makes the user of an application, the folder that it may write to, and its way to its releases. The folder
 * of the application belongs to the user of the handlers: it is opened once, and never followed as a link.
 */
export async function admitUser(app: string): Promise<AppUser> {
  const name = appUserName(app)
  const state = stateFolder(name)
  const user = await systemUser(name, `application ${app} of svc`, state)
  mkdirSync(state, { recursive: true, mode: 0o700 })
  chownSync(state, user.uid, user.gid)
  chmodSync(state, 0o700)
  const folder = openSync(
    join(SYSTEM.apps, app),
    constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW,
  )
  try {
    fchownSync(folder, -1, user.gid)
    fchmodSync(folder, 0o750)
  } finally {
    closeSync(folder)
  }
  return user
}
