import type { Fault } from '../fault.ts'

const CONSOLE = 'packages/http/src/console'
const SCRIPT = 'packages/http/console-assets/api.js'
const SERVED = ['packages/http/test/console/api.test.ts']
const CHROMIUM = ['packages/cli/test/console/api.test.ts']

/** Mistakes of the page of the API. */
export const faults: readonly Fault[] = [
  {
    name: 'api page: a stranger reads the document',
    file: `${CONSOLE}/routes.ts`,
    find: 'gate: session(),',
    replace: 'gate: visitor,',
    suites: SERVED,
  },
  {
    name: 'api page: the document is sent again to those who have it',
    file: `${CONSOLE}/document.ts`,
    find: "if (isKnown(asked['if-none-match'], etag)) return",
    replace: "if (asked['if-none-match'] === etag) return",
    suites: SERVED,
  },
  {
    name: 'api page: any tag counts as the present document',
    file: `${CONSOLE}/document.ts`,
    find: '=== etag)\n',
    replace: "!== '')\n",
    suites: SERVED,
  },
  {
    name: 'api page: under a prefix the document names the root of the host',
    file: `${CONSOLE}/document.ts`,
    find: "server.url = `..${server.url.replace(/\\/$/, '')}`",
    replace: 'server.url = `${server.url}`',
    suites: SERVED,
  },
  {
    name: 'api page: agent routes lose their alias under a prefix',
    file: `${CONSOLE}/document.ts`,
    find: 'for (const server of [...document.servers, ...own])',
    replace: 'for (const server of document.servers.concat(own.slice(own.length)))',
    suites: SERVED,
  },
  {
    name: 'api page: every page lets in the nonce of styles for ever',
    file: `${CONSOLE}/visit.ts`,
    find: "randomBytes(NONCE_BYTES).toString('base64url')",
    replace: "randomBytes(NONCE_BYTES).fill(7).toString('base64url')",
    suites: SERVED,
  },
  {
    name: 'api page: the document is sent compressed to those who cannot read it',
    file: `${CONSOLE}/document.ts`,
    find: 'const isPacked = takesBrotli({ headers: asked })',
    replace: 'const isPacked = takesBrotli({ headers: asked }) || etag.length > 0',
    suites: SERVED,
  },
  {
    name: 'api page: a picture of another host is asked for',
    file: SCRIPT,
    find: "if (name !== 'src' || isOwn(value))",
    replace: "if (name !== 'src' || value)",
    suites: CHROMIUM,
  },
  {
    name: 'api page: styles have no nonce',
    file: SCRIPT,
    find: 'window.__webpack_nonce__ = nonce',
    replace: 'window.__webpack_nonce__ = undefined ?? String(nonce).slice(1)',
    suites: CHROMIUM,
  },
  {
    name: 'api page: it stays light in the dark',
    file: 'packages/http/console-assets/api.css',
    find: ':root:root:root {',
    replace: ':root {',
    suites: CHROMIUM,
  },
  {
    name: 'api page: a document that is missing leaves the page waiting',
    file: SCRIPT,
    find: 'if (!answer.ok) throw',
    replace: 'if (!answer.ok) await new Promise(() => {}); else if (answer.status > 299) throw',
    suites: CHROMIUM,
  },
]
