import { Problem } from '../../kernel/problem.ts'
import type { Stores } from '../../platform/storage/storage.ts'
import { localAddress, repoAddress } from '../git/git-hook.ts'
import type { AppSettings } from './app.ts'
import { isImageAddress } from './app-source.ts'

/**
 * Refuses settings that an app of a license cannot have.
 * @throws Problem `invalid-input`, `agent-not-owned`
 */
export async function checkSettings(
  { agents }: Pick<Stores, 'agents'>,
  licenseId: string,
  { fingerprint, repoUrl }: Partial<AppSettings>,
  production: boolean,
): Promise<void> {
  if (repoUrl !== undefined && !isImageAddress(repoUrl) && !isAddress(repoUrl, production)) {
    throw new Problem('invalid-input', {
      details: [
        'repo_url: expected https://…, ssh://… or user@host:path, without a name or password, or docker://IMAGE without a tag',
      ],
    })
  }
  if (fingerprint !== undefined && !(await agents.isKnown(licenseId, fingerprint)))
    throw new Problem('agent-not-owned')
}

/** Whether a repository may have this address. In a trial it may lie on this machine. */
const isAddress = (text: string, production: boolean): boolean =>
  repoAddress(text, !production) !== undefined || (!production && localAddress(text) !== undefined)
