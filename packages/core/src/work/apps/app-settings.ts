import { Problem } from '../../kernel/problem.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import { localAddress, repoAddress } from '../git/git-hook.ts'
import type { App, AppSettings } from './app.ts'
import { isDropped } from './app-database.ts'
import { isImageAddress } from './app-source.ts'

/**
 * Refuses settings that an app of a license cannot have.
 * @throws Problem `invalid-input`, `agent-not-owned`, `conflict` for several hosts of an app with a database
 */
export async function checkSettings(
  { agents, appDatabases }: Pick<Stores, 'agents' | 'appDatabases'>,
  { licenseId, name }: Pick<App, 'licenseId' | 'name'>,
  { fingerprint, moreHosts = [], repoUrl }: Partial<AppSettings>,
  production: boolean,
): Promise<void> {
  if (repoUrl !== undefined && !isImageAddress(repoUrl) && !isAddress(repoUrl, production)) {
    throw new Problem('invalid-input', {
      details: [
        'repo_url: expected https://…, ssh://… or user@host:path, without a name or password, or docker://IMAGE without a tag',
      ],
    })
  }
  const hosts = [fingerprint, ...moreHosts].filter((host) => host !== undefined)
  if (new Set(hosts).size < hosts.length)
    throw new Problem('invalid-input', { details: ['hosts: expected each host once'] })
  for (const host of hosts) if (!(await agents.isKnown(licenseId, host))) throw new Problem('agent-not-owned')
  if (moreHosts.length === 0) return
  await demandNoDatabase({ appDatabases }, { licenseId, name }, 'is on one host')
}

/** @throws Problem `conflict` for an app that is linked to a database, which `why` speaks of */
export async function demandNoDatabase(
  { appDatabases }: Pick<Stores, 'appDatabases'>,
  { licenseId, name }: Pick<App, 'licenseId' | 'name'>,
  why: string,
): Promise<void> {
  const linked = (await appDatabases.list(licenseId)).find(
    (each) => !isDropped(each) && each.links.some(({ app }) => app === name),
  )
  if (linked === undefined) return
  throw new Problem('conflict', {
    detail: `${name} has the database ${linked.name}, which ${why}: svc apps databases unlink ${name} ${linked.name} comes first`,
  })
}

/** Whether a repository may have this address. In a trial it may lie on this machine. */
const isAddress = (text: string, production: boolean): boolean =>
  repoAddress(text, !production) !== undefined || (!production && localAddress(text) !== undefined)
