import { Problem } from '@svc/core'
import type { AppRelease, HostApps } from '@svc/core/adapters'

type AppRecord = HostApps['apps'][string]

/** Releases beside the live one that are kept with their variables, as many as have files. */
const KEPT = 2

/** The releases before one that takes the place of the live one, newest first, each commit once. */
export function formerReleases(before: AppRecord | undefined, next: AppRelease): readonly AppRelease[] {
  const all = before === undefined ? [] : [before.live, ...(before.former ?? [])]
  const isFirst = ({ sha }: AppRelease, at: number) => all.findIndex((each) => each.sha === sha) === at
  return all.filter((each, at) => each.sha !== next.sha && isFirst(each, at)).slice(0, KEPT)
}

/**
 * Returns a release as it last ran, with its processes and variables of then.
 * @throws Problem `conflict` when it is not kept any more
 */
export function formerRelease(record: AppRecord | undefined, { sha }: AppRelease): AppRelease {
  const found = record?.former?.find((each) => each.sha === sha)
  if (found !== undefined) return found
  throw new Problem('conflict', {
    detail: `this host has no variables of ${sha.slice(0, 12)} any more: roll back without --with-env`,
  })
}
