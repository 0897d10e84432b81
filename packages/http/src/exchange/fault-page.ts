import { createHash } from 'node:crypto'
import type { Reply } from './route.ts'

const STYLE =
  ':root{color-scheme:light dark}body{font:1rem/1.5 system-ui,sans-serif;max-width:34rem;margin:15vh auto;padding:0 1rem}h1{font-size:1.25rem}'

const POLICY = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'; base-uri 'none'; frame-ancestors 'none'`

interface Words {
  readonly title: string
  readonly next: string
}

const FAULT: Words = {
  title: 'The service made a fault',
  next: 'Its log has the reason, under the request below. Nothing more is known here.',
}
const AWAY: Words = {
  title: 'The service cannot answer now',
  next: 'It may be starting, or its database may be away. Its log says why, and so does "svc doctor" on its machine.',
}
const BUSY: Words = { title: 'Too many requests', next: 'Wait a moment.' }
const LARGE: Words = {
  title: 'This form is too large',
  next: 'Go back and send less, or use the svc command.',
}
const GONE: Words = { title: 'There is no such page', next: 'The address may be old.' }
const REFUSED: Words = { title: 'The request was refused', next: 'Go back and try it once more.' }

const wordsOf = (status: number): Words => {
  if (status === 503) return AWAY
  if (status >= 500) return FAULT
  return { 404: GONE, 413: LARGE, 429: BUSY }[status] ?? REFUSED
}

/**
 * Returns a refusal as a page, for those who look with a browser. It needs no file, no script and no
 * database, so that it shows whatever else is broken, and it tells nothing of the request but its id.
 */
export function faultPage({ status, headers }: Reply, id: string): Reply {
  const { title, next } = wordsOf(status)
  const content = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · svc</title><style>${STYLE}</style></head>
<body><main><h1>${title}</h1><p>${next}</p><p>Request <code>${id}</code>, status ${status}</p><p><a href="">Try again</a></p></main></body>
</html>
`
  return {
    status,
    headers: { ...headers, 'Content-Security-Policy': POLICY, 'X-Content-Type-Options': 'nosniff' },
    text: { type: 'text/html; charset=utf-8', content },
  }
}

const MAX_ACCEPT_CHARS = 512

/** Whether a request comes from somebody who looks with a browser. */
export const wantsPage = (accept: string | undefined): boolean =>
  accept?.slice(0, MAX_ACCEPT_CHARS).includes('text/html') ?? false
