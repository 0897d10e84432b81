import { once } from 'node:events'
import { createServer } from 'node:http'
import { Problem } from '@svc/core'
import { type AppRelease, shellWord } from '@svc/core/adapters'
import { staticSite } from './static-site.ts'

type Site = NonNullable<AppRelease['static']>

/** Returns the command that serves files of a release as a process of its own. `self` starts this program. */
export const siteCommandOf =
  (self: readonly string[]) =>
  ({ folder, fallback }: Site): string =>
    [
      ...self,
      'host-apps',
      'site',
      ...(folder === undefined ? [] : ['--folder', folder]),
      ...(fallback === undefined ? [] : ['--fallback', fallback]),
    ]
      .map(shellWord)
      .join(' ')

/** Serves the files of a release at the port of its environment, until a signal ends the process. */
export async function serveSite(port: string | undefined, release: string, site: Site): Promise<void> {
  if (!/^\d{1,5}$/.test(port ?? '')) throw new Problem('invalid-input', { detail: 'PORT is missing' })
  const { folder, fallback } = site
  const server = createServer(staticSite(release, { folder, fallback }))
  server.listen(Number(port), '127.0.0.1')
  await once(server, 'listening')
}
