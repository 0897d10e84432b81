import type { NewGitDelivery, NewGitHook } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a hook of a license of its own. */
export function buildGitHook(fields: Partial<NewGitHook> = {}): NewGitHook {
  const id = fields.id ?? buildId('ghk')
  return {
    id,
    licenseId: buildId('lic'),
    app: 'shop',
    fingerprint: 'host-a-0123456789abcdef',
    provider: 'github',
    repoUrl: 'https://github.com/acme/shop.git',
    branch: 'main',
    tags: undefined,
    paths: [],
    pathsIgnore: [],
    enabled: true,
    cancelInProgress: false,
    allowSkip: true,
    cloneKind: 'none',
    submodules: 'none',
    deployKey: undefined,
    ...fields,
  }
}

/** Returns an accepted delivery to a hook. */
export function buildGitDelivery(
  fields: Partial<NewGitDelivery> & { readonly hookId: string },
): NewGitDelivery {
  const id = fields.id ?? buildId('gdl')
  return {
    id,
    deliveryId: `delivery of ${id}`,
    bodyDigest: `digest of ${id}`,
    provider: 'github',
    event: 'push',
    ref: 'refs/heads/main',
    before: 'a'.repeat(40),
    sha: 'b'.repeat(40),
    ignored: undefined,
    jobId: `job of ${id}`,
    address: '192.0.2.1',
    ...fields,
  }
}
