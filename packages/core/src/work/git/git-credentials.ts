import { Problem } from '../../kernel/problem.ts'
import { ofLicense } from '../../kernel/scope.ts'
import type { Base } from '../../platform/base.ts'
import type { Job } from '../jobs/job.ts'
import type { Payload } from '../jobs/job-payload.ts'
import type { GitHook, GitProvider } from './git-hook.ts'
import { placeFor } from './hook-secrets.ts'

/** Dependencies of `GitCredentials`. */
export type GitCredentialsParts = Pick<Base, 'storage' | 'clock' | 'keyring' | 'log'>

/** Returns the part of a stored job that stands for the credentials of its repository. */
export const credentialsOf = ({ id, cloneKind }: GitHook): object =>
  cloneKind === 'none' ? {} : { auth: { type: cloneKind, hook: id } }

/** The names that git hosts take beside a token; those that are not here take any. */
const TOKEN_USERS: Partial<Record<GitProvider, string>> = { gitlab: 'oauth2', bitbucket: 'x-token-auth' }

/**
 * Credentials of repositories: the payload of a stored job names a hook, and the host that claims the job is
 * given the hook's secret instead.
 */
export class GitCredentials {
  readonly #parts: GitCredentialsParts

  constructor(parts: GitCredentialsParts) {
    this.#parts = parts
  }

  /**
   * Returns a job as its host gets it. The credentials of a hook go with jobs of the hook's own license and
   * repository alone: otherwise anybody who may make jobs could have them sent anywhere. If they cannot be
   * had, the job says `missing`, and its host fails it.
   */
  async handOut(job: Job): Promise<Job> {
    const source = objectOf(job.payload.source)
    const { hook: hookId } = objectOf(source.auth)
    if (typeof hookId !== 'string') return job
    const auth = (await this.#authOf(hookId, job.licenseId, source.repo_url)) ?? { type: 'missing' }
    return { ...job, payload: { ...job.payload, source: { ...source, auth } } }
  }

  async #authOf(hookId: string, licenseId: string, repoUrl: unknown): Promise<object | undefined> {
    const { storage, clock, keyring, log } = this.#parts
    const hook = await storage.gitHooks.get(ofLicense(licenseId), hookId)
    if (hook === undefined || hook.repoUrl !== repoUrl || hook.cloneKind === 'none') return undefined
    const secrets = await storage.gitHooks.secrets(hookId, clock.statementTime())
    const stored = secrets.find(({ kind }) => kind === hook.cloneKind)
    if (stored === undefined) return undefined
    try {
      return authOf(hook, keyring.open(stored.text, placeFor(hookId, stored.kind)))
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      log.error({ hook: hookId }, 'the credentials of a git hook cannot be opened: see SERVICE_DATA_KEYS')
      return undefined
    }
  }
}

function authOf({ cloneKind, provider, submodules }: GitHook, secret: string): object {
  if (cloneKind === 'deploy_key') return { type: 'deploy_key', private_key: secret, submodules }
  const colon = secret.indexOf(':')
  const username = colon > 0 ? secret.slice(0, colon) : (TOKEN_USERS[provider] ?? 'x-access-token')
  return { type: 'basic', username, password: secret.slice(colon > 0 ? colon + 1 : 0), submodules }
}

const objectOf = (value: unknown): Payload =>
  typeof value === 'object' && value !== null ? (value as Payload) : {}
