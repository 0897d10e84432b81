import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lockOuts, type SecuritySettings } from '@svc/core/adapters'
import { exceptions, kernelPaths } from './exceptions.ts'
import { hostCommand } from './host-command.ts'
import { BASELINE, type HostFile, hostFiles, SSHD_FILE, SYSCTL_FILE } from './host-files.ts'
import { hasSystemd, onHost, type SecurityHost } from './security-host.ts'
import { overruled, type SshdFacts, somebodyMaySignIn, sshdFacts, sshPorts } from './sshd.ts'
import { modeOf, reloadSshd, setSysctl } from './undo-script.ts'

/** A refusal of the host: nothing was changed. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

/** The findings of a host before it changes anything. */
export interface Survey {
  readonly sshPorts: readonly number[]
  /** Files that are to be others than they are. */
  readonly changes: readonly HostFile[]
  readonly hasSystemd: boolean
}

/**
 * Looks whether settings fit this host: somebody must be able to reach it by ssh, and sshd must take its
 * file.
 * @throws Refused
 */
export async function survey(
  host: SecurityHost,
  settings: SecuritySettings,
  force: boolean,
): Promise<Survey> {
  const facts = await asRefusal(factsWith(host, hostFiles(settings)))
  const ports = sshPorts(facts)
  const details = lockOuts(settings, ports.length > 0 ? ports : undefined)
  if (details.length > 0 && !force) throw new Refused(details.join('; '))
  await demandSsh(host, settings, facts, force)
  return {
    sshPorts: ports,
    changes: await changedFiles(host, settings),
    hasSystemd: await hasSystemd(host),
  }
}

/** The files that settings stand for and that are not as they should be. */
export async function changedFiles(host: SecurityHost, settings: SecuritySettings): Promise<HostFile[]> {
  const changes: HostFile[] = []
  for (const file of hostFiles(settings))
    if ((await textOf(host, file.path)) !== file.text) changes.push(file)
  return changes
}

async function asRefusal<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw new Refused((error as Error).message)
  }
}

const factsWith = (host: SecurityHost, files: readonly HostFile[]): Promise<SshdFacts | undefined> => {
  const { text = '' } = files.find(({ path }) => path === SSHD_FILE) ?? {}
  return sshdFacts(host, { text, folder: host.folder })
}

async function demandSsh(
  host: SecurityHost,
  { ssh }: SecuritySettings,
  facts: SshdFacts | undefined,
  force: boolean,
): Promise<void> {
  const { password_auth, root_login, max_auth_tries, allow_users } = ssh
  const isKept = password_auth === 'keep' && root_login === 'keep'
  if (isKept && max_auth_tries === undefined && allow_users === undefined) return
  if (facts === undefined) throw new Refused('this host has no sshd, but the settings are about one')
  const mayLockOut = password_auth === 'no' || root_login === 'no' || allow_users !== undefined
  if (!mayLockOut || force || (await somebodyMaySignIn(host, facts))) return
  throw new Refused(
    password_auth === 'no'
      ? 'nobody who may sign in by ssh has a key, and passwords would be off'
      : allow_users === undefined
        ? 'nobody but root could sign in by ssh, and root would not be let in'
        : `none of ssh.allow_users (${allow_users.join(', ')}) is a user of this host who could sign in`,
  )
}

/** The values of the kernel of now, as `sysctl -p` takes them; undefined when they stay. */
export async function sysctlOfNow(
  { root }: SecurityHost,
  changes: readonly HostFile[],
): Promise<string | undefined> {
  if (root !== '/' || !changes.some(({ path }) => path === SYSCTL_FILE)) return undefined
  const lines = await Promise.all(
    Object.keys(BASELINE)
      .flatMap(kernelPaths)
      .map(async (path) => {
        const value = await readFile(path, 'utf8').catch(() => undefined)
        // With slashes, since the name of an interface may have a dot.
        return value === undefined ? [] : [`${path.slice('/proc/sys/'.length)} = ${value.trim()}`]
      }),
  )
  return `${lines.flat().join('\n')}\n`
}

/**
 * Puts files into their places, tells sshd and the kernel of them, and sees that sshd has taken its own.
 * @throws Error when it has not, or a file cannot be written
 */
export async function putFiles(
  host: SecurityHost,
  { changes, hasSystemd: isSystemd }: Survey,
  settings: SecuritySettings,
  say: (line: string) => void,
): Promise<void> {
  for (const file of changes) {
    await putFile(onHost(host, file.path), file)
    say(`${file.text === undefined ? 'removed' : 'wrote'} ${file.path}`)
  }
  if (changes.some(({ path }) => path === SSHD_FILE)) await useSshdFile(host, settings, isSystemd, say)
  await useSysctlFile(host, changes, isSystemd, say)
  for (const line of await exceptions(host, settings)) say(line)
}

async function useSysctlFile(
  host: SecurityHost,
  changes: readonly HostFile[],
  isSystemd: boolean,
  say: (line: string) => void,
): Promise<void> {
  const sysctl = changes.find(({ path }) => path === SYSCTL_FILE)
  if (sysctl?.text === undefined) return
  if (host.root !== '/') return say('the values of the kernel count from the next start')
  const [program = '', ...args] = setSysctl(SYSCTL_FILE, isSystemd)
  const { code, said } = await hostCommand(program, ...args)
  say(code === 0 ? 'the values of the kernel are set' : `some values of the kernel were not set: ${said}`)
}

async function putFile(path: string, { path: named, text }: HostFile): Promise<void> {
  if (text === undefined) return rm(path, { force: true })
  await mkdir(dirname(path), { recursive: true, mode: 0o755 })
  const draft = `${path}.svc-new`
  await writeFile(draft, text, { mode: 0o600 })
  await chmod(draft, Number.parseInt(modeOf(named), 8))
  await rename(draft, path)
}

async function useSshdFile(
  host: SecurityHost,
  { ssh }: SecuritySettings,
  isSystemd: boolean,
  say: (line: string) => void,
): Promise<void> {
  const facts = await sshdFacts(host)
  const names = facts === undefined ? [] : overruled(facts, ssh)
  if (names.length > 0)
    throw new Error(
      `sshd does not take ${names.join(', ')} from ${SSHD_FILE}: see its Include and what stands before`,
    )
  await hostCommand('sh', '-c', reloadSshd(host.root, isSystemd))
  say('sshd reads its files again')
}

const textOf = (host: SecurityHost, path: string): Promise<string | undefined> =>
  readFile(join(onHost(host, path)), 'utf8').catch(() => undefined)
