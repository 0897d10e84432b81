import type { Fault } from '../fault.ts'

const KEYRING = 'packages/core/src/platform/secrets/keyring.ts'
const SECRETS = 'packages/core/src/platform/secrets/secrets.ts'
const RINGS = 'packages/core/test/platform/secrets/keyring.test.ts'
const SUITE = 'packages/core/test/platform/secrets/secrets.test.ts'

export const faults: readonly Fault[] = [
  {
    name: 'secrets: a sealed text opens in every row',
    file: KEYRING,
    find: 'seal(text: string, place: string): string {',
    replace: "seal(text: string, row: string): string {\n    const place = row.split(':')[0] ?? ''",
    suites: [RINGS],
  },
  {
    name: 'secrets: every text is sealed with the same start value',
    file: KEYRING,
    find: 'const iv = randomBytes(IV_BYTES)',
    replace: 'const iv = Buffer.alloc(IV_BYTES, 7)',
    suites: [RINGS],
  },
  {
    name: 'secrets: the last key seals',
    file: KEYRING,
    find: 'this.#first = keys[0]',
    replace: 'this.#first = keys.at(-1)',
    suites: [RINGS],
  },
  {
    name: 'secrets: without a key texts are stored as they are',
    file: KEYRING,
    find: 'if (this.#first === undefined) throw unset()',
    replace: 'if (this.#first === undefined) return text',
    suites: [SUITE],
  },
  {
    name: 'secrets: a missing key gives the sealed text',
    file: KEYRING,
    find: 'if (key === undefined) throw unreadable(place)',
    replace: 'if (key === undefined) return stored',
    suites: [SUITE],
  },
  {
    name: 'secrets: a rotation leaves what was never sealed',
    file: SECRETS,
    find: "if (state !== 'older' && state !== 'plain') continue",
    replace: "if (state !== 'older') continue",
    suites: [SUITE],
  },
  {
    name: 'secrets: a rotation ends with the first column',
    file: SECRETS,
    find: 'return following && spell({ name: following, after: undefined })',
    replace: 'return following && undefined',
    suites: [SUITE],
  },
  {
    name: 'secrets: a rotation overwrites what has changed',
    file: 'packages/testing/src/platform/secrets/secrets-store-memory.ts',
    find: 'row.id === id && row.text === from',
    replace: 'row.id === id',
    suites: [SUITE],
  },
  {
    name: 'secrets: a webhook is signed with the sealed text',
    file: 'packages/core/src/watch/alerts/channels/alert-notifier.ts',
    find: "const secret = keyring.open(sealed, placeOf('alertWebhooks', tenantId))",
    replace: "const secret = keyring.isConfigured ? sealed : placeOf('alertWebhooks', tenantId)",
    suites: ['packages/core/test/watch/alerts/channels/alert-webhooks.test.ts'],
  },
  {
    name: 'secrets: a folder forgets its key',
    file: 'packages/core/src/platform/database/folder-key.ts',
    find: 'if (known === undefined) return madeKey(path)',
    replace:
      'if (known !== undefined) return newDataKey(`folder`)\n  if (known === undefined) return madeKey(path)',
    suites: ['packages/core/test/platform/database/folder-key.test.ts'],
  },
]
