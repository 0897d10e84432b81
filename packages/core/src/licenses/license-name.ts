import { isIdEnd } from '../id-end.ts'
import { Problem } from '../problem.ts'
import { secretDigest } from '../signing/same-secret.ts'
import type { License } from './license.ts'
import type { LicensesStore } from './licenses-store.ts'

/** Most candidates that an ambiguous name lists. */
const MAX_CANDIDATES = 12

/** The refusal of a name that no license has. It does not repeat the name, which may be a key. */
export const unknownLicense = (): Problem =>
  new Problem('not-found', {
    detail:
      'no license has this id, key or label, and no host has reported under it; svc licenses list shows them',
  })

/**
 * The issued license that `name` means: its id or the end of it, its key, or its label. A key goes before a
 * label or an end with the same letters.
 * @throws Problem `ambiguous` with the candidates
 */
export async function findLicense(
  licenses: Pick<LicensesStore, 'byKeyDigest' | 'get' | 'list'>,
  name: string,
): Promise<License | undefined> {
  const exact = (await licenses.get(name)) ?? (await licenses.byKeyDigest(secretDigest(name)))
  return exact ?? licenseCalled(await licenses.list(), name)
}

/**
 * The one license of `licenses` that `name` means by its label or by the end of its id; undefined if none.
 * @throws Problem `ambiguous` with the candidates
 */
function licenseCalled(licenses: readonly License[], name: string): License | undefined {
  const isEnd = isIdEnd(name)
  const matches = licenses.filter(
    ({ id, label }) => (label !== '' && label === name) || (isEnd && id.endsWith(name)),
  )
  const [only, ...others] = matches
  if (others.length === 0) return only
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
