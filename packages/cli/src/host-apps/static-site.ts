import type { IncomingMessage, ServerResponse } from 'node:http'
import { join } from 'node:path'
import type { AppRelease } from '@svc/core/adapters'
import sirv from 'sirv'

/** Answers requests with files of a release. */
export type StaticSite = (request: IncomingMessage, response: ServerResponse) => void

/** Returns the site of a folder of a release. It has no hidden files, and other paths get the fallback. */
export function staticSite(
  release: string,
  { folder, fallback }: NonNullable<AppRelease['static']>,
): StaticSite {
  const answer = sirv(folder === undefined ? release : join(release, folder), {
    dotfiles: false,
    etag: true,
    ...(fallback === undefined ? {} : { single: fallback }),
    onNoMatch: (_, response) => {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' }).end('There is no such page.\n')
    },
  })
  return (request, response) => {
    if (request.method === 'GET' || request.method === 'HEAD') answer(request, response)
    else response.writeHead(405, { allow: 'GET, HEAD' }).end()
  }
}
