import { Problem } from '@svc/core'
import { type HostApps, WEB_PROCESS } from '@svc/core/adapters'
import type { Say } from './generation.ts'
import type { Runtime } from './runtime.ts'
import { isSystemHost } from './system/places.ts'

/** The name by which the containers of an application reach another one: no process is called so. */
export const linkName = (app: string): string => `link ${app}`

const variableOf = (app: string, process: string): string => {
  const words = process === WEB_PROCESS ? [app] : [app, process]
  return `SVC_LINK_${words
    .join('_')
    .toUpperCase()
    .replace(/[^A-Z0-9]/g, '_')}_URL`
}

/** The ports of an application that stay its own, by their processes. */
export function portsIn({ port, ports = {} }: Pick<HostApps['apps'][string], 'port' | 'ports'>) {
  return new Map([...(port === undefined ? [] : [[WEB_PROCESS, port] as const]), ...Object.entries(ports)])
}

/** The addresses of the applications that a release reaches, by variables. `isBoxed`: for a container. */
export function linkVariables(
  links: readonly string[] | undefined,
  runtime: Pick<Runtime, 'portsOf' | 'hostOf'>,
  isBoxed: boolean,
): Readonly<Record<string, string>> {
  const each = (links ?? []).flatMap((app) =>
    [...portsIn(runtime.portsOf(app))].map(([process, port]) => {
      const host = isBoxed ? runtime.hostOf(linkName(app)) : '127.0.0.1'
      return [variableOf(app, process), `http://${host}:${port}`] as const
    }),
  )
  return Object.fromEntries(each)
}

interface LinksAsked {
  readonly apps: string
  readonly app: string
  readonly links: readonly string[]
  /** Whether the release that is live begins anew: then an application that went stands in no way. */
  readonly isAgain: boolean
  /** The applications of this host. */
  readonly there: readonly string[]
}

/** @throws Problem `conflict` for a link to nothing, to the application itself, and where no port stays */
export function demandLinks({ apps, app, links, isAgain, there }: LinksAsked, say: Say): void {
  if (links.length === 0) return
  const refused = (detail: string) => new Problem('conflict', { detail: `links: ${detail}` })
  if (!isSystemHost(apps))
    throw refused('they need ports that stay, which a server has: svc agent install --apps')
  if (links.includes(app)) throw refused(`${app} reaches its own ports without one`)
  const names = links.map((link) => variableOf(link, WEB_PROCESS))
  const twice = links.find((_, index) => names.indexOf(names[index] ?? '') < index)
  if (twice !== undefined) throw refused(`${twice} and another one would have one variable`)
  for (const link of links.filter((each) => !there.includes(each))) {
    const words = `there is no app ${link} on this host`
    if (!isAgain) throw refused(`${words}: deploy it here first`)
    say(`links: ${words} any more`)
  }
}
