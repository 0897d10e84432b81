import { createHash } from 'node:crypto'
import { rename, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { Environment } from '@svc/core'
import type { AppRelease } from '@svc/core/adapters'
import { isSystemHost, SYSTEM } from './system/places.ts'

/** The folder of a supervisor without root, in the folder of the applications. */
export const runtimeFolder = (apps: string): string => join(apps, '.runtime')
/** The folder that holds the socket of the supervisor of an apps folder. */
export const controlFolder = (apps: string): string =>
  isSystemHost(apps) ? SYSTEM.control : runtimeFolder(apps)
/** The socket of the supervisor, in its folder. */
export const CONTROL_SOCKET = 'control.sock'
/** The folder of a release. */
export const releaseFolder = (apps: string, app: string, sha: string): string =>
  join(apps, app, 'releases', sha)

/** The repository of the commits of an application that were sent to this host. */
export const uploadsFolder = (apps: string, app: string): string => join(apps, app, '.uploads.git')

/** Leads the link `current` of an application to a release. */
export async function linkCurrent(apps: string, app: string, sha: string): Promise<void> {
  const folder = join(apps, app)
  const aside = join(folder, '.current-new')
  await rm(aside, { force: true })
  await symlink(`releases/${sha}`, aside)
  await rename(aside, join(folder, 'current'))
}

/** An application's name also names a folder, and is the first part of a host name. */
export const isAppName = (word: string): boolean => /^[a-z0-9][a-z0-9._-]{0,127}$/.test(word)

/** Variables of the host that applications see: a list, because others may hold secrets of the agent. */
const OF_THE_HOST =
  /^(PATH|HOME|USER|LOGNAME|SHELL|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|NODE_EXTRA_CA_CERTS|SSL_CERT_FILE|SSL_CERT_DIR|(HTTPS?|ALL|NO)_PROXY|(https?|all|no)_proxy)$/

/** Returns the variables of the host that applications, and the supervisor, see. */
export function hostVariables(env: Environment): Record<string, string> {
  const entries = Object.entries(env).flatMap(([name, value]): [string, string][] =>
    value !== undefined && OF_THE_HOST.test(name) ? [[name, value]] : [],
  )
  return Object.fromEntries(entries)
}

/** Returns the variables of the host that mean the same for every user: proxies, authorities, language. */
export const sharedVariables = (env: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(hostVariables(env)).filter(
      ([name]) => !/^(PATH|HOME|USER|LOGNAME|SHELL|TMPDIR)$/.test(name),
    ),
  )

/** SHA-256 of the variables of an application, whatever their order. */
export const envDigest = (env: AppRelease['env']): string =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))))
    .digest('hex')
