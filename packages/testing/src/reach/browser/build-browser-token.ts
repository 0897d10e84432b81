import { type NewBrowserRun, type NewBrowserToken, secretDigest } from '@svc/core/ports'
import { buildId } from '../../build-id.ts'

/** Returns a token of the platform, with a unique digest. */
export function buildBrowserToken(fields: Partial<NewBrowserToken> = {}): NewBrowserToken {
  const id = fields.id ?? buildId('brt')
  return { id, label: '', licenseId: undefined, dailyLimit: 500, digest: secretDigest(id), ...fields }
}

/** Returns a scrape of a caller. */
export const buildBrowserRun = (fields: Partial<NewBrowserRun> = {}): NewBrowserRun => ({
  id: buildId('brs'),
  tokenId: 'setting:0123456789ab',
  kind: 'scrape',
  urlHost: 'www.example.com',
  ...fields,
})
