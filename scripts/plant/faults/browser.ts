import type { Fault } from '../fault.ts'

const NET = 'packages/core/src/platform/net'
const BROWSER = 'packages/core/src/reach/browser'
const CHROMIUM = 'packages/cli/src/browser'
const PROXY = 'packages/cli/test/browser/egress-proxy.test.ts'
const WORKER = 'packages/core/test/reach/browser/browser-worker.test.ts'
const RULES = 'packages/core/test/reach/browser/rules.test.ts'
const STORE = 'packages/core/test/reach/browser/browser-store.test.ts'
const PAGES = 'packages/cli/test/browser/chromium.test.ts'
const DOMAINS = 'packages/cli/test/browser/domains.test.ts'

export const faults: readonly Fault[] = [
  {
    name: 'browser: the proxy takes calls without a credential',
    file: `${CHROMIUM}/egress-proxy.ts`,
    find: 'return given === undefined ? undefined : this.#lanes.get(digestOf(given))',
    replace: 'return this.#lanes.get(digestOf(given ?? "")) ?? [...this.#lanes.values()][0]',
    suites: [PROXY],
  },
  {
    name: 'browser: the credential of the proxy reaches the site',
    file: `${CHROMIUM}/egress-proxy.ts`,
    find: "  'proxy-authorization',\n",
    replace: '',
    suites: [PROXY],
  },
  {
    name: 'browser: an address that could not be judged is allowed',
    file: `${NET}/page-guard.ts`,
    find: "return pageRefusalOf(error) ?? 'dns'",
    replace: "return pageRefusalOf(error) === 'dns' ? undefined : pageRefusalOf(error)",
    suites: ['packages/core/test/platform/net/page-guard.test.ts'],
  },
  {
    name: 'browser: any port of a public address is open',
    file: `${NET}/page-guard.ts`,
    find: "if (!this.#ports.has(target.port)) throw new OutboundRefused('port')",
    replace: 'if (this.#ports.size === 0) throw new OutboundRefused("port")',
    suites: [WORKER, PROXY],
  },
  {
    name: 'browser: a full lane goes on',
    file: `${CHROMIUM}/egress-lane.ts`,
    find: 'if (this.closed.aborted || this.full.aborted) {',
    replace: 'if (this.closed.aborted) {',
    suites: [PROXY],
  },
  {
    name: 'browser: refused addresses are listed with their query',
    file: `${CHROMIUM}/egress-lane.ts`,
    find: '`${parsed.protocol}//${parsed.host}${parsed.pathname}`',
    replace: 'parsed.href',
    suites: [PROXY],
  },
  {
    name: 'browser: WebRTC passes by the proxy',
    file: `${CHROMIUM}/chromium-program.ts`,
    find: "  '--webrtc-ip-handling-policy=disable_non_proxied_udp',\n",
    replace: '',
    suites: [PAGES],
  },
  {
    name: 'browser: the answer of a page that was refused is brought',
    file: `${CHROMIUM}/chromium-page.ts`,
    find: "if (!url.startsWith('chrome-error:')) return",
    replace: 'if (url !== "") return',
    suites: [PAGES],
  },
  {
    name: 'browser: a link to another domain is followed',
    file: `${CHROMIUM}/page-watch.ts`,
    find: "return domains === undefined || url === 'about:blank' || isWithinDomains(parsed.hostname, domains)",
    replace: 'return domains === undefined || isWithinDomains(parsed.hostname, ["*"])',
    suites: [PAGES],
  },
  {
    name: 'browser: a redirect to another domain leaves',
    file: `${CHROMIUM}/page-gate.ts`,
    find: 'isOfPage && status === undefined && !mayGo(request.url)',
    replace: 'isOfPage && status === 0 && !mayGo(request.url)',
    suites: [DOMAINS],
  },
  {
    name: 'browser: an error without a body is one of the browser',
    file: `${CHROMIUM}/page-gate.ts`,
    find: "if (body === '' || status === UNAUTHORIZED)",
    replace: 'if (status === UNAUTHORIZED)',
    suites: [DOMAINS],
  },
  {
    name: 'browser: another window asks before it is closed',
    file: `${CHROMIUM}/page-watch.ts`,
    find: 'if (isUnwanted || this.#isOfOtherWindow(request))',
    replace: 'if (isUnwanted)',
    suites: [DOMAINS],
  },
  {
    name: 'browser: Chromium tells its maker about forms',
    file: `${CHROMIUM}/chromium-program.ts`,
    find: "  'AutofillServerCommunication',\n",
    replace: '',
    suites: [DOMAINS],
  },
  {
    name: 'browser: what Chromium asks for itself goes by the credential of a page',
    file: `${CHROMIUM}/egress-proxy.ts`,
    find: "lane.refuse(url, 'browser')\n      return undefined",
    replace: "lane.refuse(url, 'browser')",
    suites: [PROXY],
  },
  {
    name: 'browser: a page that has strayed is shown',
    file: `${BROWSER}/agent-steps.ts`,
    find: 'if (page.strayed) throw new',
    replace: 'if (false) throw new',
    suites: [WORKER],
  },
  {
    name: 'browser: a session is anybody’s',
    file: `${BROWSER}/browser-sessions.ts`,
    find: 'kept === undefined || kept.session.callerId !== callerId',
    replace: 'kept === undefined || callerId === ""',
    suites: [WORKER],
  },
  {
    name: 'browser: the day of a token never ends',
    file: `${BROWSER}/browser-store-sql.ts`,
    find: 'and (t.used_on is distinct from today.day or t.used < t.daily_limit)',
    replace: 'and t.used <= t.daily_limit',
    suites: [STORE],
  },
  {
    name: 'browser: a revoked token begins work',
    file: `${BROWSER}/browser-store-sql.ts`,
    find: 'and t.id = $2 and t.revoked_at is null',
    replace: 'and t.id = $2',
    suites: [STORE],
  },
  {
    name: 'browser: the model sees what a page shows of a variable',
    file: `${BROWSER}/agent-steps.ts`,
    find: 'const masked = this.mask.text(tree)',
    replace: 'const masked = tree',
    suites: [WORKER],
  },
  {
    name: 'browser: an answer gives a variable away',
    file: `${BROWSER}/agent-call.ts`,
    find: '{ result: mask.json(end.result) }',
    replace: '{ result: end.result }',
    suites: [WORKER],
  },
  {
    name: 'browser: a made-up password needs no consent',
    file: `${BROWSER}/risk.ts`,
    find: 'return facts.isSecret && !isVariablesOnly(step.value, variables)',
    replace: 'return facts.isSecret && step.value === ""',
    suites: [RULES, WORKER],
  },
  {
    name: 'browser: an agent that repeats itself goes on',
    file: `${BROWSER}/stuck-guard.ts`,
    find: "if (this.#isTold) return 'stuck'",
    replace: "if (this.#isTold) return 'hint'",
    suites: [RULES, WORKER],
  },
  {
    name: 'browser: a client that left keeps its place in the queue',
    file: `${BROWSER}/work-slots.ts`,
    find: 'this.#waiting.splice(this.#waiting.indexOf(turn), 1)',
    replace: 'this.#waiting.indexOf(turn)',
    suites: [WORKER],
  },
  {
    name: 'browser: text of a page passes for the name of a button',
    file: `${BROWSER}/risk.ts`,
    find: 'if (attributes.includes(` [ref=${ref}]`)) return cut(label, MAX_LABEL_CHARS)',
    replace: 'if (line.includes(`[ref=${ref}]`)) return (label || attributes).slice(0, MAX_LABEL_CHARS)',
    suites: [RULES],
  },
]
