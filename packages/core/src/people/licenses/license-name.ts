import { Problem } from '../../kernel/problem.ts'
import type { Scope } from '../../kernel/scope.ts'
import { secretDigest } from '../../platform/signing/same-secret.ts'
import type { License } from './license.ts'
import type { LicensesStore } from './licenses-store.ts'

/** Fewest characters of the end of an id that may stand for it. */
export const MIN_END_CHARS = 4

const END = /^[0-9a-z]{1,26}$/

/** Whether `name` may be the end of an id: lower-case letters and digits, without the prefix. */
export const isIdEnd = (name: string): boolean => name.length >= MIN_END_CHARS && END.test(name)

/** Most candidates that an ambiguous name lists. */
const MAX_CANDIDATES = 12

/** The refusal of a name that no license has. It does not repeat the name, which may be a key. */
export const unknownLicense = (): Problem =>
  new Problem('not-found', {
    detail:
      'no license has this id, key or label, and no host has reported under it; svc licenses list shows them',
  })

/**
 * Returns the issued license of a scope that `name` means: its id or the end of it, its key, or its label. An
 * id and a key go before a label or an end with the same letters.
 * @throws Problem `ambiguous` with the candidates
 */
export async function findLicense(
  licenses: Pick<LicensesStore, 'named'>,
  scope: Scope,
  name: string,
): Promise<License | undefined> {
  const asked = { name, keyDigest: secretDigest(name), isEnd: isIdEnd(name) }
  const [only, ...others] = await licenses.named(scope, asked)
  if (only === undefined || others.length === 0) return only
  const matches = [only, ...others]
  throw new Problem('ambiguous', {
    detail: `${matches.length} licenses have this label or end like this: name one of these by its id`,
    candidates: candidatesOf(matches),
  })
}

function candidatesOf(licenses: readonly License[]): string[] {
  const listed = licenses.map(({ id, label }) => (label === '' ? id : `${id}: ${label}`))
  const rest = listed.length - MAX_CANDIDATES
  return rest > 0 ? [...listed.slice(0, MAX_CANDIDATES), `and ${rest} more`] : listed
}
