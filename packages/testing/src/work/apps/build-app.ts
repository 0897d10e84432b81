import type { NewApp } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns an app of a license of its own, without settings. */
export const buildApp = (fields: Partial<NewApp> = {}): NewApp => ({
  ...{ licenseId: buildId('lic'), name: 'shop', fingerprint: undefined, moreHosts: [], repoUrl: undefined },
  ...fields,
})
