import { LIVE_LISTS } from '@svc/core/adapters'
import type { Links } from './links.ts'

/** Lists that pages of another list show something of: what a job does to an app, or to a firewall. */
const ALSO: Readonly<Record<string, readonly string[]>> = { apps: ['jobs'], security: ['jobs'] }

/** Returns the lists that a page of an operation's answer shows; none when nothing tells of changes. */
export function listsOf(operation: string): readonly string[] {
  const [list = ''] = operation.split('.')
  return LIVE_LISTS.some((each) => each === list) ? [list, ...(ALSO[list] ?? [])] : []
}

/** Returns the address of the event stream of a page; empty when nothing tells of changes. */
export const streamOf = (shows: readonly string[], links: Links): string =>
  shows.length === 0
    ? ''
    : `${links.to('live')}?${new URLSearchParams(shows.map((each): [string, string] => ['show', each]))}`
